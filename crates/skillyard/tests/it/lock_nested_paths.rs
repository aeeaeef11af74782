//! What lies in an installed skill was installed with it: neither a path into it nor a copy makes it
//! anybody's own.

use skillyard_format::package::archive::Limits;
use skillyard_format::package::pack::{PackFile, PackFormat, pack};

use crate::servers::http::{Reply, Server};
use crate::servers::repository::Repository;
use crate::{TestContext, output, text};

const SKILL: &str = "---\nname: NAME\ndescription: Runs. Use for running.\n---\nRun a.sh.\n";
const SCRIPT: &str = "#!/bin/sh\necho RAN\n";

/// The skill `neat`, in which lies another, from the web.
fn web() -> Server {
    Server::start(|_| {
        let (outer, inner) = (SKILL.replace("NAME", "neat"), SKILL.replace("NAME", "sub"));
        let files = [
            PackFile::new("neat/SKILL.md", false, outer.as_bytes()),
            PackFile::new("neat/scripts/a.sh", true, SCRIPT.as_bytes()),
            PackFile::new("neat/sub/SKILL.md", false, inner.as_bytes()),
            PackFile::new("neat/sub/scripts/a.sh", true, SCRIPT.as_bytes()),
        ];
        Reply::ok(pack(&files, PackFormat::Zip, &Limits::skill()).unwrap())
    })
}

/// The user has installed it.
fn installed(more: &[&str]) -> (Server, TestContext) {
    let server = web();
    let context = TestContext::new();
    let url = server.url("/neat.zip");
    let install = ["install", &url, "--scope", "user", "--yes"];
    context.done(&[&install[..], more].concat());
    (server, context)
}

impl TestContext {
    /// What is said when a script that must not run is run.
    #[track_caller]
    fn blocked(&self, skill: &str, script: &str) -> String {
        let mut told = String::new();
        for answer in [&["--yes"][..], &["--allow-scripts", "--yes"]] {
            let run = [&["run", skill, script], answer].concat();
            let ran = output(self.skillyard().args(&run));
            told = text(&ran.stderr);
            assert_eq!(ran.status.code(), Some(1), "{run:?}: {told}");
            assert_eq!(text(&ran.stdout), "", "{run:?}");
        }
        told
    }
}

#[test]
fn a_path_into_a_blocked_skill_opens_nothing() {
    let (_server, context) = installed(&[]);
    let neat = context.home().join(".agents/skills/neat");
    context.mkdir("../outside");
    context.link(&neat, "../outside/whole");
    context.link(neat.join("sub"), "../outside/part");
    context.blocked(neat.to_str().unwrap(), "scripts/a.sh");
    context.blocked("../outside/whole", "scripts/a.sh");
    for path in [
        "../home/.agents/skills/neat/sub",
        "../outside/whole/sub",
        "../outside/part",
    ] {
        let told = context.blocked(path, "scripts/a.sh");
        assert!(told.contains("/neat.zip"), "{told}");
        let hint = "start it with `skillyard run neat sub/scripts/a.sh`";
        assert!(told.contains(hint), "{told}");
    }
    // Who approves all of it approves that.
    context.done(&["trust", "neat", "--scripts", "--yes"]);
    context.done(&["run", "neat", "sub/scripts/a.sh"]);
    // And who makes something else of it has not made the part their own.
    context.done(&["trust", "revoke", "neat"]);
    context.write("../home/.agents/skills/neat/scripts/a.sh", "echo other\n");
    let told = context.blocked("../home/.agents/skills/neat/sub", "scripts/a.sh");
    assert!(told.contains("is locked"), "{told}");
}

#[test]
fn nor_one_into_the_store() {
    let (_server, context) = installed(&["--link"]);
    let link = context.home().join(".agents/skills/neat");
    let stored = link.canonicalize().unwrap();
    assert_ne!(link, stored);
    for folder in [&link, &stored, &link.join("sub"), &stored.join("sub")] {
        context.blocked(folder.to_str().unwrap(), "scripts/a.sh");
    }
}

#[test]
fn nor_one_into_a_denied_skill() {
    let (_server, context) = installed(&[]);
    context.done(&["trust", "neat", "--scripts", "--yes"]);
    context.done(&["config", "set", "trust.archive.scripts", "sandboxed"]);
    context.done(&["config", "set", "trust.archive.ask", "first-run"]);
    let neat = "../home/.agents/skills/neat";
    let part = format!("{neat}/sub");
    context.done(&["run", &part, "scripts/a.sh", "--yes"]);
    context.done(&["disable", "neat"]);
    for path in [neat, &part] {
        let told = context.blocked(path, "scripts/a.sh");
        assert!(told.contains("it is disabled"), "{told}");
    }
}

#[test]
fn nor_one_into_a_revoked_skill() {
    let (_server, context) = installed(&[]);
    context.done(&["config", "set", "trust.archive.scripts", "sandboxed"]);
    context.done(&["config", "set", "trust.archive.ask", "first-run"]);
    let part = "../home/.agents/skills/neat/sub";
    context.done(&["run", part, "scripts/a.sh", "--yes"]);
    let mut verify = context.skillyard();
    let told = output(verify.args(["verify", "neat", "--json"]));
    let told: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap();
    context.done(&["key", "revoke", told["digest"].as_str().unwrap()]);
    let told = context.blocked(part, "scripts/a.sh");
    assert!(told.contains("was revoked"), "{told}");
}

#[test]
fn what_is_installed_from_where_it_was_installed_comes_from_as_far() {
    for (source, more) in [("neat", &[][..]), ("neat/sub", &[]), ("neat", &["--link"])] {
        let (_server, context) = installed(more);
        let folder = context.home().join(".agents/skills").join(source);
        let install = ["install", folder.to_str().unwrap(), "--name", "mine"];
        let install = [&install[..], &["--scope", "user"]].concat();
        // Whoever is asked about the web is asked about that.
        let told = context.tell(&install);
        assert!(told.starts_with("exit status: 1"), "{told}");
        assert!(
            told.contains(", which was installed from http://"),
            "{told}"
        );
        let told = context.done(&[&install[..], &["--yes"]].concat());
        assert!(told.contains("BLOCKED"), "{told}");
        let lock = context.read("../home/.skillyard/lock.toml");
        let url = format!("origin = \"archive\"\nurl = \"{}", "http://");
        assert_eq!(lock.matches(&url).count(), 2, "{lock}");
        context.blocked("mine", "scripts/a.sh");
        // It stays where it is looked for.
        context.done(&["update", "mine", "--scope", "user", "--yes"]);
        context.done(&["sync", "--scope", "user", "--yes"]);
        context.blocked("mine", "scripts/a.sh");
    }
}

#[test]
fn of_what_a_project_installed_only_the_kind_of_place_is_believed() {
    let context = crate::project::project();
    let repository = Repository::with_pdf(&context);
    context.write("sub/skills.toml", "[skills]\n");
    let mut install = context.skillyard();
    let source = format!("{}#skills/pdf", repository.url());
    let install = install.args(["install", &source, "--yes", "--scope", "project"]);
    let done = output(install.current_dir(context.root().join("sub")));
    assert!(done.status.success(), "{}", text(&done.stderr));
    let copy = ["install", "./sub/.agents/skills/pdf"];
    let told = context.tell(&copy);
    let said = "which the lock of a project says is from a git repository";
    assert!(told.contains(said), "{told}");
    context.done(&[&copy[..], &["--yes"]].concat());
    // Paths of this machine would be other ones for everybody else.
    let lock = context.read("skills.lock");
    assert!(lock.contains("origin = \"git\""), "{lock}");
    assert!(!lock.contains("url ="), "{lock}");
    context.done(&["update", "--yes"]);
    assert_eq!(context.read("skills.lock"), lock);
}

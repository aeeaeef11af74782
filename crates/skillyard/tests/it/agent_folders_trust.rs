//! A variable that puts a folder of an agent into a project: however the path is written, what lies
//! there is the project's and waits for trust.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use skillyard_format::package::pack::PackFormat;

use crate::project::packed;
use crate::servers::http::{Reply, Server};
use crate::servers::repository::skill;
use crate::{TestContext, output, text};

/// A repository `data/clone` of somebody else beside the working folder, with a repository in it, and
/// links that lead there.
fn machine() -> TestContext {
    let context = TestContext::new();
    context
        .write("../data/clone/.git/HEAD", "ref: refs/heads/main\n")
        .write_skill("../data/clone/.claude/skills/evil-one")
        .write(
            "../data/clone/.claude/skills/evil-one/scripts/a.sh",
            "echo ran-unasked\n",
        )
        .write(
            "../data/clone/vendor/sub/.git/HEAD",
            "ref: refs/heads/main\n",
        )
        .write_skill("../data/clone/vendor/sub/cc/skills/inner-one")
        .write_skill("../plain/skills/beside-one")
        .write_skill("../data/clone/cc/skills/more-one")
        .link("data", "../lnk")
        .link("../lnk/clone/.claude", "../home/claude")
        .link("../../plain", "../data/clone/moved");
    context
}

fn with(context: &TestContext, current: &str, folder: &str, arguments: &[&str]) -> Command {
    let mut command = context.skillyard();
    let top = context.root().parent().unwrap().to_owned();
    command
        .current_dir(top.join(current))
        .env("CLAUDE_CONFIG_DIR", top.join(folder))
        .args(arguments);
    command
}

/// Whether a skill reaches prompts and runs; it is listed in any case.
fn is_used(context: &TestContext, current: &str, folder: &str, skill: &str) -> bool {
    let told = |arguments: &[&str]| {
        let told = output(&mut with(context, current, folder, arguments));
        text(&told.stdout) + &text(&told.stderr)
    };
    let listed = told(&["list"]);
    assert!(listed.contains(skill), "{listed}");
    let is_used = told(&["prompt"]).contains(skill);
    let run = told(&["run", skill, "a.sh"]);
    let is_blocked = run.contains("that you have not trusted");
    assert_eq!(is_used, !is_blocked, "{run}");
    assert!(is_used || !run.contains("ran-unasked"), "{run}");
    is_used
}

#[test]
fn no_spelling_of_a_path_makes_a_project_the_users() {
    let context = machine();
    for (current, folder) in [
        ("data/clone", "data/clone/.claude"),
        ("data/clone", "lnk/clone/.claude"),
        ("lnk/clone", "lnk/clone/.claude"),
        ("data/clone", "data/../data/clone/.claude"),
        ("data/clone", "home/claude/../.claude"),
        ("data/clone", "/proc/self/cwd/.claude"),
        ("data/clone", "home/claude"),
        ("data/clone/vendor/sub", "data/clone/.claude"),
        ("work", "data/clone/.claude"),
        ("work", "home/claude"),
        ("home", "home/claude"),
    ] {
        let is_used = is_used(&context, current, folder, "evil-one");
        assert!(!is_used, "{folder} in {current}");
    }
    for folder in ["data/clone/cc", "lnk/clone/cc"] {
        assert!(
            !is_used(&context, "data/clone", folder, "more-one"),
            "{folder}"
        );
    }
    // The link is the repository's, whatever it leads to.
    assert!(!is_used(&context, "work", "data/clone/moved", "beside-one"));
    assert!(is_used(&context, "work", "plain", "beside-one"));
    assert!(is_used(&context, "data/clone", "plain", "beside-one"));
}

#[test]
fn the_project_that_the_folder_lies_in_is_the_one_to_trust() {
    let context = machine();
    let trust = |folder: &str| {
        let told = output(&mut with(&context, "work", "none", &["trust", folder]));
        assert!(told.status.success(), "{}", text(&told.stderr));
    };
    // That the project at hand is trusted says nothing of the one around it.
    trust("../data/clone/vendor/sub");
    let sub = "data/clone/vendor/sub";
    assert!(!is_used(&context, sub, "data/clone/.claude", "evil-one"));
    assert!(!is_used(&context, sub, "lnk/clone/.claude", "evil-one"));
    // A repository in another one is a project of its own.
    let inner = "lnk/clone/vendor/sub/cc";
    for current in [sub, "work", "data/clone"] {
        assert!(is_used(&context, current, inner, "inner-one"), "{current}");
    }
    let mut list = with(&context, "work", "lnk/clone/.claude", &["list"]);
    let told = text(&output(&mut list).stderr);
    let root = context.root().join("../data/clone").canonicalize().unwrap();
    let remedy = format!("`skillyard trust {}`", root.display());
    assert!(told.contains(&remedy), "{told}");
    let run = ["run", "evil-one", "a.sh"];
    let told = output(&mut with(&context, "work", "lnk/clone/.claude", &run));
    assert!(text(&told.stderr).contains(&remedy));
    trust("../data/clone");
    for (current, folder) in [
        ("work", "home/claude"),
        ("data/clone", "lnk/clone/.claude"),
        (sub, "data/clone/.claude"),
    ] {
        let is_used = is_used(&context, current, folder, "evil-one");
        assert!(is_used, "{folder} in {current}");
    }
}

#[test]
fn a_trusted_project_is_no_more_than_a_trusted_project_from_everywhere() {
    let context = machine();
    let clone = "../data/clone";
    output(&mut with(&context, "work", "none", &["trust", clone]));
    for (current, folder) in [
        ("data/clone", "none"),
        ("data/clone", "data/clone/.claude"),
        ("data/clone/vendor/sub", "lnk/clone/.claude"),
        ("work", "data/clone/.claude"),
        ("work", "home/claude"),
    ] {
        let told = |arguments: &[&str]| {
            let told = output(&mut with(&context, current, folder, arguments));
            text(&told.stdout) + &text(&told.stderr)
        };
        let shown = told(&["show", "evil-one"]);
        assert!(shown.contains("a trusted project"), "{current}: {shown}");
        let run = told(&["run", "evil-one", "a.sh"]);
        assert!(!run.contains("ran-unasked"), "{current}: {run}");
        let removed = told(&["remove", "evil-one", "--scope", "user", "--yes", "--force"]);
        let file = context.root().join(clone).join(".claude/skills/evil-one");
        assert!(file.is_dir(), "{current}: {removed}");
    }
    // That the project at hand is trusted, or is not, says nothing of the other.
    for trust in [&["trust", "."][..], &["trust", "revoke", "."]] {
        output(&mut with(&context, "work", "none", trust));
        assert!(is_used(&context, "work", "data/clone/.claude", "evil-one"));
    }
}

#[test]
fn a_link_does_not_put_the_lock_of_one_project_over_that_of_another() {
    let packed = || packed("pdf/", "one", PackFormat::Zip);
    let server = Server::start(move |_| Reply::ok(packed()));
    let context = TestContext::new();
    context
        .mkdir(".git")
        .write("../lib/pdf/SKILL.md", skill("pdf", "one"))
        .write("../lib/pdf/scripts/run.sh", "echo hi\n")
        .mkdir("../data/clone/.git");
    let script = context.root().join("../lib/pdf/scripts/run.sh");
    std::fs::set_permissions(script, Permissions::from_mode(0o755)).unwrap();
    let done = |current: &str, arguments: &[&str]| {
        let told = output(&mut with(&context, current, "none", arguments));
        assert!(told.status.success(), "{}", text(&told.stderr));
    };
    let into = ["--agent", "claude-code", "--yes"];
    let url = server.url("/pdf.zip");
    done(
        "data/clone",
        &[&["install", url.as_str()][..], &into].concat(),
    );
    done("data/clone", &["trust", "."]);
    done("work", &[&["install", "../lib/pdf"][..], &into].concat());
    std::fs::remove_dir_all(context.root().join(".claude")).unwrap();
    context.link("../data/clone/.claude", ".claude");
    for skill in ["pdf", "../data/clone/.claude/skills/pdf"] {
        let run = ["run", skill, "scripts/run.sh", "--yes"];
        let told = output(&mut with(&context, "work", "data/clone/.claude", &run));
        let told = text(&told.stderr);
        let reason = "it comes from an archive from the web";
        assert!(told.contains(reason), "{skill}: {told}");
    }
}

#[test]
fn a_folder_of_a_project_without_a_repository_is_not_the_users() {
    for order in ["", "[discovery]\nprecedence = \"claude-code\"\n"] {
        let context = TestContext::new();
        context
            .write("../home/.skillyard/config.toml", order)
            .write_skill(".claude/skills/evil-one")
            .link("work", "../lnk");
        assert!(Path::new(&context.root()).join(".claude").is_dir());
        for folder in ["work/.claude", "lnk/.claude", "work/x/../.claude"] {
            context.mkdir("x");
            assert!(!is_used(&context, "work", folder, "evil-one"), "{folder}");
        }
        context.write("skills.toml", "[skills]\n");
        context.mkdir("../other");
        assert!(!is_used(&context, "other", "lnk/.claude", "evil-one"));
    }
}

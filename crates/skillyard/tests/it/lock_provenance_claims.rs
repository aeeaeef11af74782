//! What a project's lock says of where a skill came from is the word of whoever wrote the project: it
//! lifts nothing that holds for the place where the skill lies.

use std::process::Output;

use crate::{TestContext, output, text};

const RUN: [&str; 3] = ["run", "p", "scripts/x.sh"];
const URL: &str = "https://git.example/acme/tools";

/// A trusted project with a skill in it, and a policy of the organisation.
fn project(org: &str) -> TestContext {
    let context = TestContext::new();
    context.mkdir(".git").write_skill(".agents/skills/p");
    context.write(".agents/skills/p/scripts/x.sh", "echo it ran\n");
    context.write("../org.toml", org);
    context.done(&["trust", ".", "--yes"]);
    context
}

impl TestContext {
    fn with_org(&self, arguments: &[&str]) -> Output {
        let mut command = self.skillyard();
        command.env("SKILLYARD_ORG_CONFIG", self.root().join("../org.toml"));
        output(command.args(arguments))
    }

    /// Writes a lock that says that the skill is from elsewhere.
    fn claim(&self, origin: &str) {
        let shown = self.json(&["show", "p", "--json"]);
        let digest = shown["digest"].as_str().unwrap();
        let lock = format!(
            "version = 1\n\n[[skill]]\nname = \"p\"\nsource = \"github:acme/tools/p\"\n\
             commit = \"{}\"\norigin = \"{origin}\"\nurl = \"{URL}\"\n\
             digest = \"{digest}\"\ntargets = [\".agents/skills\"]\n",
            "6".repeat(40)
        );
        self.write("skills.lock", lock);
    }

    #[track_caller]
    fn refuses(&self, arguments: &[&str], reason: &str) {
        let told = self.with_org(arguments);
        assert_eq!(told.status.code(), Some(1), "{arguments:?} {told:?}");
        assert!(text(&told.stderr).contains(reason), "{told:?}");
        assert!(!text(&told.stdout).contains("it ran"), "{told:?}");
    }
}

const BLOCKED: &str =
    "locked = [\"trust.local\"]\n[trust.local]\nscripts = \"blocked\"\nask = \"first-run\"\n";

#[test]
fn a_block_of_the_organisation_holds_whatever_a_lock_claims() {
    let context = project(BLOCKED);
    let reason = "`trust.local.scripts` is set in the organisation's policy";
    for origin in ["git", "archive", "well-known", "registry", "local-folder"] {
        context.claim(origin);
        for flag in ["--yes", "--allow-scripts"] {
            context.refuses(&[&RUN[..], &[flag]].concat(), reason);
        }
        context.refuses(
            &["run", "./.agents/skills/p", "scripts/x.sh", "--yes"],
            reason,
        );
        // What is approved lifts no final block, though `archive` alone would wait for it.
        context.with_org(&["trust", "p", "--scripts", "--yes"]);
        context.refuses(&RUN, reason);
        context.done(&["trust", "revoke", "p"]);
    }
}

#[test]
fn nor_is_it_lifted_by_a_copy_of_the_skill() {
    let context = project(BLOCKED);
    context.claim("git");
    let folder = context.root().join(".agents/skills/p");
    let folder = folder.to_str().unwrap();
    let told = context.with_org(&["install", folder, "--scope", "user", "--yes"]);
    assert!(told.status.success(), "{told:?}");
    let lock = context.read("../home/.skillyard/lock.toml");
    assert!(lock.contains("origin = \"git\""), "{lock}");
    assert!(!lock.contains(URL) && !lock.contains("commit"), "{lock}");
    let elsewhere = context.outside("");
    std::fs::create_dir_all(&elsewhere).unwrap();
    let mut command = context.skillyard();
    command.env("SKILLYARD_ORG_CONFIG", context.root().join("../org.toml"));
    let told = output(command.current_dir(elsewhere).args(RUN).arg("--yes"));
    assert_eq!(told.status.code(), Some(1), "{told:?}");
    let told = text(&told.stderr);
    assert!(told.contains("`trust.local.scripts` is set"), "{told}");
}

#[test]
fn a_lock_does_not_answer_the_question_of_a_first_run() {
    let context = project("");
    // Who believes a git host of their own was asked when something was installed from there.
    context.configure("[trust.git]\nask = \"install\"\nscripts = \"sandboxed\"\n");
    context.refuses(&RUN, "--yes");
    context.claim("git");
    context.refuses(&RUN, "--yes");
    // The other way round, what is less believed is so for the project's word as well.
    context.configure("[trust.git]\nscripts = \"blocked\"\nask = \"never\"\n");
    context.refuses(&[&RUN[..], &["--yes"]].concat(), "a git host");
    context.configure("[trust.git]\nask = \"install\"\ntier = \"high\"\n");
    let shown = context.json(&["show", "p", "--json"]);
    assert_eq!(shown["security"]["tier"], "medium", "{shown}");
}

#[test]
fn no_network_that_the_place_does_not_have() {
    let org = "locked = [\"trust.local\"]\n[trust.local]\nscripts = \"sandboxed-offline\"\n";
    let context = project(org);
    context.configure("[trust.git]\nask = \"install\"\nscripts = \"sandboxed\"\n");
    context.claim("git");
    let reason = "`trust.local.scripts` is `sandboxed-offline`";
    let net = [&RUN[..], &["--yes", "--net", "example.org"]].concat();
    context.refuses(&net, reason);
    let trust = ["trust", "p", "--network", "example.org", "--yes"];
    context.refuses(&trust, reason);
    let none = [&RUN[..], &["--yes", "--backend", "none"]].concat();
    let told = context.with_org(&none);
    assert!(!told.status.success(), "{told:?}");
    let told = text(&told.stderr);
    assert!(told.contains("trust.local.scripts"), "{told}");
}

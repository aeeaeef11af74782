//! The home directory as a project: two scopes have their skills in the same folders.

use std::fs;

use crate::project::project;
use crate::servers::repository::skill;
use crate::{TestContext, output, text};

/// Two states of a skill, and a home directory that is a project.
fn home() -> TestContext {
    let context = project();
    for version in ["one", "two"] {
        let folder = format!("lib-{version}/pdf/SKILL.md");
        context.write(&folder, skill("pdf", version));
    }
    fs::create_dir_all(context.in_home("")).unwrap();
    fs::write(context.in_home("skills.toml"), "").unwrap();
    context
}

/// Runs a command in the home directory; says whether it worked, and what it told.
fn at_home(context: &TestContext, arguments: &[&str]) -> (bool, String) {
    let mut command = context.skillyard();
    let done = output(command.args(arguments).current_dir(context.in_home("")));
    let told = text(&done.stderr) + &text(&done.stdout);
    (done.status.success(), told)
}

fn version(context: &TestContext) -> Option<String> {
    let file = context.in_home(".agents/skills/pdf/SKILL.md");
    let text = fs::read_to_string(file).ok()?;
    text.lines().last().map(str::to_owned)
}

#[test]
fn what_the_other_scope_has_in_a_place_is_named_as_that() {
    let context = home();
    let source = |version: &str| {
        let folder = context.root().join(format!("lib-{version}/pdf"));
        folder.display().to_string()
    };
    let install = |version: &str, more: &[&str]| {
        let source = source(version);
        at_home(&context, &[&["install", &source][..], more].concat())
    };
    assert!(install("one", &["--scope", "project"]).0);
    let (is_done, told) = install("two", &["--scope", "user"]);
    let named = "`.agents/skills/pdf` is what the project scope has there";
    assert!(!is_done && told.contains(named), "{told}");
    assert!(told.contains("hint: Both scopes"), "{told}");
    assert!(install("two", &["--scope", "user", "--force"]).0);
    assert_eq!(version(&context).as_deref(), Some("two"));
    let (is_done, told) = at_home(&context, &["sync", "--scope", "project"]);
    let named = "`.agents/skills/pdf` is what the user scope has there";
    assert!(!is_done && told.contains(named), "{told}");
    let (_, told) = at_home(&context, &["doctor"]);
    assert!(told.contains(named), "{told}");
    // Who wants the same has it.
    assert!(install("two", &["--scope", "project", "--force"]).0);
    assert!(at_home(&context, &["sync", "--scope", "project", "--check"]).0);
    assert!(at_home(&context, &["sync", "--scope", "user", "--check"]).0);
}

#[test]
fn what_the_other_scope_still_has_is_not_removed_with_it() {
    for (first, second) in [("project", "user"), ("user", "project")] {
        let context = home();
        let source = context.root().join("lib-one/pdf").display().to_string();
        for scope in [first, second] {
            let (is_done, told) = at_home(&context, &["install", &source, "--scope", scope]);
            assert!(is_done, "{told}");
        }
        let (is_done, told) = at_home(&context, &["remove", "pdf", "--scope", first]);
        assert!(is_done, "{told}");
        assert_eq!(version(&context).as_deref(), Some("one"));
        assert!(at_home(&context, &["sync", "--scope", second, "--check"]).0);
        assert!(at_home(&context, &["remove", "pdf", "--scope", second]).0);
        assert_eq!(version(&context), None);
    }
}

#[test]
fn who_is_in_a_folder_that_is_gone_does_not_mean_their_own_skills() {
    let context = TestContext::new();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.done(&["install", "./lib/pdf", "--scope", "user", "--yes"]);
    let from_nowhere = |arguments: &str| {
        context.mkdir("gone");
        let mut gone = context.command("sh");
        let script = format!("cd gone && rmdir ../gone && exec \"$0\" {arguments}");
        gone.args(["-c", &script, env!("CARGO_BIN_EXE_skillyard")]);
        output(&mut gone)
    };
    for command in [
        "remove pdf --yes",
        "sync --locked --check",
        "update",
        "outdated",
    ] {
        let told = from_nowhere(command);
        assert_eq!(told.status.code(), Some(2), "{command}");
        let told = text(&told.stderr);
        assert!(told.contains("the current folder is not there"), "{told}");
    }
    assert!(from_nowhere("sync --check --scope user").status.success());
    assert!(context.in_home(".agents/skills/pdf/SKILL.md").is_file());
}

//! What is revoked and something else, too: switched off, altered, too large, or held back.

use std::fs;

use super::revoked_locked::revoke;
use super::skill;
use crate::TestContext;
use crate::project::project;

/// A trusted project in which `pdf` was installed.
fn installed() -> TestContext {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "1.2.0"));
    context.done(&["install", "./lib/pdf", "--yes"]);
    context.done(&["trust", "."]);
    context
}

/// The status that `list` tells of `pdf`.
fn status(context: &TestContext) -> String {
    let list = context.json(&["list", "--json"]);
    let all = list["skills"].as_array().unwrap();
    let pdf = all.iter().find(|each| each["name"] == "pdf").unwrap();
    pdf["status"].as_str().unwrap().to_owned()
}

#[test]
fn what_else_is_wrong_does_not_hide_that_a_skill_is_revoked() {
    let context = installed();
    revoke(&context, "./lib/pdf");
    assert_eq!(status(&context), "revoked");
    // Nobody makes it merely altered, or merely too deep.
    context.write(".agents/skills/pdf/notes.md", "Mine.\n");
    assert_eq!(status(&context), "revoked");
    let told = context.run(&["doctor"]);
    assert!(told.contains("✗ `pdf` is revoked: "), "{told}");
    let deep = context
        .root()
        .join(".agents/skills/pdf")
        .join("d/".repeat(70));
    fs::create_dir_all(deep).unwrap();
    assert_eq!(status(&context), "revoked");
    fs::remove_dir_all(context.root().join(".agents/skills/pdf/d")).unwrap();
    // Other agents go on reading what is switched off here.
    context.done(&["disable", "pdf"]);
    assert_eq!(status(&context), "disabled");
    let told = context.run(&["doctor"]);
    assert!(
        told.contains("✗ `pdf`: it is installed and revoked: "),
        "{told}"
    );
}

#[test]
fn what_is_switched_off_is_not_handed_on_where_it_is_revoked_or_altered() {
    let context = installed();
    context.done(&["disable", "pdf"]);
    let export = |file: &str| ["export", "pdf", "--archive", file].map(str::to_owned);
    let export = |file: &str, refused: &str| {
        let words = export(file);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        if refused.is_empty() {
            context.done(&words);
        } else {
            let told = context.refused(&words);
            assert!(told.contains(refused), "{told}");
        }
        assert_eq!(context.root().join(file).exists(), refused.is_empty());
    };
    export("whole.zip", "");
    context.write(".agents/skills/pdf/notes.md", "Mine.\n");
    export("altered.zip", "its files are not those that ");
    fs::remove_file(context.root().join(".agents/skills/pdf/notes.md")).unwrap();
    revoke(&context, "./lib/pdf");
    export("revoked.zip", "this very content was revoked");
}

#[test]
fn what_a_lock_that_cannot_be_read_could_name_is_held_back() {
    let context = installed();
    context.write("skills.lock", "junk");
    assert_eq!(status(&context), "held-back");
    let told = context.stdout(&["list"]);
    assert!(
        told.contains("✗ pdf  (held-back) held back while `"),
        "{told}"
    );
    for command in [
        &["export", "pdf", "--archive", "pdf.zip"][..],
        &["run", "pdf", "scripts/run.sh", "--yes"],
        &["chat", "-p", "/pdf go"],
    ] {
        let told = context.refused(command);
        assert!(told.contains("held back while `"), "{command:?}: {told}");
        assert!(told.contains("hint: Mend the lock"), "{command:?}: {told}");
    }
    revoke(&context, "./lib/pdf");
    assert_eq!(status(&context), "revoked");
}

#[test]
fn an_agent_is_told_of_what_it_cannot_use() {
    let context = installed();
    revoke(&context, "./lib/pdf");
    let told = context.done(&["agent", "create", "clerk", "--skills", "p*"]);
    let line = " ! pdf: the agent cannot use it while it is revoked: this very content was revoked";
    assert!(told.contains(line), "{told}");
    let told = context.refused(&["agent", "create", "other", "--skills", "pdf"]);
    assert!(told.contains("this very content was revoked"), "{told}");
}

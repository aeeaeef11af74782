//! Damaged records of what this machine did: `doctor` names each, and what it says helps.

use std::fs;
use std::path::PathBuf;

use crate::TestContext;

/// The records whose names end so.
fn records(context: &TestContext, end: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(context.in_home(".skillyard/placed")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_meant = |path: &PathBuf| path.to_str().is_some_and(|path| path.ends_with(end));
    paths.filter(is_meant).collect()
}

/// A project with `pdf`, and the same one of the user in a folder that a variable names.
fn machine() -> TestContext {
    let context = TestContext::new();
    context.mkdir(".git").write_skill("lib/pdf");
    let install = ["install", "./lib/pdf", "--agent", "claude-code", "--yes"];
    context.claude_done(None, &install);
    let user = [&install[..], &["--scope", "user"]].concat();
    context.claude_done(Some("../cc"), &user);
    context
}

#[test]
fn what_was_made_is_begun_anew() {
    let context = machine();
    let made = records(&context, ".made");
    assert_eq!(made.len(), 2);
    for record in &made {
        fs::write(record, "<<<").unwrap();
    }
    let told = context.claude_done(Some("../cc"), &["doctor"]);
    assert_eq!(
        told.matches("It was removed, and is begun anew").count(),
        2,
        "{told}"
    );
    let told = context.claude_done(Some("../cc"), &["doctor"]);
    assert!(!told.contains("begun anew"), "{told}");
    context.claude_done(None, &["remove", "pdf", "--yes"]);
}

#[test]
fn a_link_in_the_place_of_a_record_is_not_written_through() {
    let context = machine();
    let victim = context.root().join("victim");
    fs::write(&victim, "mine").unwrap();
    for record in records(&context, ".made") {
        fs::remove_file(&record).unwrap();
        std::os::unix::fs::symlink(&victim, &record).unwrap();
    }
    let install = [
        "install",
        "./lib/pdf",
        "--agent",
        "claude-code,codex",
        "--yes",
    ];
    context.claude_done(None, &install);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
}

#[test]
fn skills_that_are_held_back_are_told_of_with_what_helps() {
    let context = machine();
    let cc = Some("../cc");
    for record in records(&context, ".toml") {
        fs::write(record, "<<<").unwrap();
    }
    fs::remove_dir_all(context.root().join(".claude")).unwrap();
    let listed = context.claude_done(cc, &["list"]);
    assert!(listed.contains("✗ pdf  (held-back)"), "{listed}");
    let explained = context.claude(cc, &["explain", "skill", "pdf"]).1;
    assert!(
        explained.contains("`skillyard doctor` says what to do"),
        "{explained}"
    );
    let run = context.claude(cc, &["run", "pdf", "a.sh"]).1;
    assert!(!run.contains("skillyard trust"), "{run}");
    let (is_well, told) = context.claude(cc, &["doctor"]);
    assert!(!is_well);
    for scope in ["project", "user"] {
        let hint = format!("write it anew with `skillyard sync --scope {scope}`");
        assert!(told.contains(&hint), "{told}");
        context.claude_done(cc, &["sync", "--scope", scope]);
    }
    let told = context.claude_done(cc, &["doctor"]);
    assert!(!told.contains("the record of"), "{told}");
    // Where no variable names the folder any more, nobody knows which one it was.
    for record in records(&context, ".toml") {
        fs::write(record, "<<<").unwrap();
    }
    let told = context.claude(None, &["doctor"]).1;
    assert!(
        told.contains("set the variable again that named the folder"),
        "{told}"
    );
}

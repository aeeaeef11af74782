//! Files that other programs replace in a workspace while a script runs: their protection ends.

use std::fs;
use std::process::{Child, Stdio};

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::any_script;
use super::beside::until;
use super::recorded::events;
use crate::{TestContext, text};

/// Starts a script in the workspace, and comes back when it has begun.
fn begun(context: &TestContext, flags: &[&str], script: &str) -> Child {
    let script = format!(": > begun; {script}");
    let mut command = context.skillyard();
    command
        .args(["run", "tools", "any.sh", "--workspace", "."])
        .args(flags)
        .args(["--", &script]);
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut run = command.spawn().unwrap();
    while !context.root().join("begun").exists() {
        assert!(run.try_wait().unwrap().is_none());
        std::thread::yield_now();
    }
    run
}

#[test]
fn replacing_a_protected_file_beside_a_script_is_reported() {
    let context = any_script();
    context.write("CLAUDE.md", "mine");
    let run = begun(&context, &[], &until("go"));
    context.write("new", "yours");
    fs::rename(context.root().join("new"), context.root().join("CLAUDE.md")).unwrap();
    context.write("go", "");
    let ended = run.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0));
    assert_snapshot!(context.normalised(&text(&ended.stderr)), @r"
    sandbox: another program replaced or removed `[DIR]/CLAUDE.md` while it ran, which ends the protection of that place
    sandbox: look at `[DIR]/CLAUDE.md` before git or an agent obeys it
    ");
    let event = &events(&context, "skill.script_executed")[0];
    let place = context.root().join("CLAUDE.md");
    let named = format!("`{}`", place.display());
    assert_eq!(event["detail"]["exposed"], named, "{event}");
}

#[test]
fn programs_are_told_which_place_it_was() {
    let context = any_script();
    context.write("CLAUDE.md", "mine");
    let run = begun(&context, &["--json"], &until("go"));
    let place = context.root().join("CLAUDE.md");
    fs::remove_file(&place).unwrap();
    context.write("go", "");
    let ended = run.wait_with_output().unwrap();
    let told: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(told["exit_code"], 0, "{told}");
    let denial = json!({ "kind": "exposed", "path": place });
    assert_eq!(told["denials"], json!([denial]), "{told}");
}

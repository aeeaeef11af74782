//! What others replace in a workspace while a script runs there: its protection is gone with it.

use std::fs;
use std::process::{Child, Stdio};

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::any_script;
use super::beside::until;
use super::recorded::events;
use crate::servers::repository::skill;
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

const WRITE: &str = "until echo evil > CLAUDE.md; do sleep 0.05; done 2> log; sleep 1000";

#[test]
fn a_script_ends_when_somebody_saves_what_is_protected() {
    let context = any_script();
    context.write("CLAUDE.md", "mine");
    let run = begun(&context, &[], WRITE);
    context.write("new", "yours");
    fs::rename(context.root().join("new"), context.root().join("CLAUDE.md")).unwrap();
    let ended = run.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(137));
    assert_snapshot!(context.normalised(&text(&ended.stderr)), @r"
    sandbox: another program replaced or removed `[DIR]/CLAUDE.md` while it ran, which ends the protection of that place
    sandbox: it was ended at once; look at `[DIR]/CLAUDE.md` before git or an agent obeys it
    ");
    let event = &events(&context, "skill.script_executed")[0];
    assert_eq!(event["outcome"], "failed", "{event}");
    assert_eq!(event["reason"], "a protected place was replaced", "{event}");
    let place = context.root().join("CLAUDE.md");
    let named = format!("`{}`", place.display());
    assert_eq!(event["detail"]["exposed"], named, "{event}");
}

#[test]
fn programs_are_told_which_place_it_was() {
    let context = any_script();
    let run = begun(&context, &["--json"], WRITE);
    // Nothing was there, and git writes a file into the place of an empty folder.
    let place = context.root().join("CLAUDE.md");
    fs::remove_dir(&place).unwrap();
    let ended = run.wait_with_output().unwrap();
    let told: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(told["stopped"], "exposed", "{told}");
    assert_eq!(told["exit_code"], 137, "{told}");
    let denial = json!({ "kind": "exposed", "path": place });
    assert_eq!(told["denials"], json!([denial]), "{told}");
}

#[test]
fn nothing_is_installed_beside_a_script() {
    let context = any_script();
    context.write(".git/HEAD", "ref: refs/heads/main\n");
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.write("lib/csv/SKILL.md", skill("csv", "one"));
    context.mkdir("sub");
    let run = begun(&context, &[], &until("go"));
    assert_snapshot!(context.run(&["install", "./lib/pdf"]), @r"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: a script runs in `[DIR]`, and nothing is changed beside it

    hint: Run it again when the script has ended: new files would not be protected from it
    ");
    // What stands in the place of their folders makes nobody an agent that is in use here, nor a
    // folder a project.
    let agents = context.run(&["doctor"]);
    assert!(!agents.contains("Claude Code"), "{agents}");
    // The user's own skills are elsewhere.
    context.done(&["install", "./lib/csv", "--scope", "user"]);
    context.write("go", "");
    assert!(run.wait_with_output().unwrap().status.success());
    context.done(&["install", "./lib/pdf"]);
    let lock = context.read("skills.lock");
    assert!(lock.contains("targets = [\".agents/skills\"]"), "{lock}");
    assert!(!context.root().join(".claude").exists());
}

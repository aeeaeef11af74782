//! What the audit log says of runs: what they were given, that they began, and that they were refused.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::skill;
use crate::{TestContext, output};

const LOG: &str = "../home/.skillyard/logs/audit.jsonl";

/// The events of one kind, in order.
pub(super) fn events(context: &TestContext, kind: &str) -> Vec<Value> {
    let log = fs::read_to_string(context.root().join(LOG)).unwrap_or_default();
    // The last line may still be on its way.
    let lines = log
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    lines
        .filter(|event: &Value| event["event"] == kind)
        .collect()
}

#[test]
fn a_run_is_written_down_with_what_it_was_given() {
    let context = skill("");
    context.mkdir("desk");
    let path = "../home/.agents/skills/tools";
    let secret = "hunter2-of-the-log";
    let arguments = [
        "run",
        path,
        "hello.py",
        "--yes",
        "--workspace",
        "desk",
        "--read-only",
        "--env",
        "MY_SECRET",
        "--",
        secret,
        "--token=hunter2-of-the-log",
    ];
    let ran = output(context.skillyard().args(arguments).env("MY_SECRET", secret));
    assert!(ran.status.success(), "{ran:?}");
    let started = &events(&context, "skill.script_started")[0];
    let ended = &events(&context, "skill.script_executed")[0];
    for event in [started, ended] {
        let detail = &event["detail"];
        assert_eq!(detail["approval"], "--yes", "{event}");
        assert_eq!(detail["network"], "none");
        assert_eq!(detail["variables"], "[\"MY_SECRET\"]");
        assert_eq!(detail["stdin"], "none");
        let workspace = detail["workspace"].as_str().unwrap();
        assert!(workspace.starts_with("read ") && workspace.ends_with("/desk"));
        assert_eq!(event["source"], "path");
        assert_eq!(event["tier"], "medium");
        let argv = detail["argv"].as_str().unwrap();
        assert!(argv.contains("\"--token=${MY_SECRET}\""), "{argv}");
        assert!(!event.to_string().contains(secret), "{event}");
    }
    assert_eq!(ended["detail"]["started"], started["seq"].to_string());
    assert_eq!(ended["detail"]["connections"], "[]");
}

#[test]
fn what_looks_like_a_secret_is_not_in_the_log() {
    let context = skill("");
    let token = "ghp_0123456789abcdefABCDEF";
    let bearer = format!("Authorization: Bearer {token}x");
    let words = [
        "--password=hunter2",
        "--api-key",
        "k-of-mine",
        token,
        &bearer,
    ];
    let arguments = [&["run", "tools", "hello.py", "--yes", "--"], &words[..]].concat();
    context.tell(&arguments);
    for kind in ["skill.script_started", "skill.script_executed"] {
        let event = events(&context, kind)[0].to_string();
        assert!(event.contains("--password=…redacted"), "{event}");
        for secret in ["hunter2", "k-of-mine", "ghp_"] {
            assert!(!event.contains(secret), "{event}");
        }
    }
}

#[test]
fn a_run_that_is_killed_has_begun_in_the_log() {
    let context = skill("");
    let folder = "../home/.agents/skills/tools";
    let script = "touch begun\nsleep 60\n";
    context.write(&format!("{folder}/scripts/wait.sh"), script);
    context.mkdir("desk");
    let mut child = context
        .skillyard()
        .args(["run", "tools", "wait.sh", "--workspace", "desk"])
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !context.root().join("desk/begun").exists() {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "it did not begin"
        );
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let started = events(&context, "skill.script_started");
    assert_eq!(started[0]["detail"]["script"], "scripts/wait.sh");
    assert!(events(&context, "skill.script_executed").is_empty());
    assert_eq!(context.code(&["audit", "verify"]), Some(0));
}

#[test]
fn a_run_that_nobody_could_be_asked_about_is_written_down() {
    let context = skill("");
    let path = "../home/.agents/skills/tools";
    assert_eq!(context.code(&["run", path, "hello.py"]), Some(1));
    let refused = &events(&context, "skill.script_executed")[0];
    assert_eq!(refused["outcome"], "denied");
    assert_eq!(
        refused["reason"],
        "it was not approved, and there was nobody to ask"
    );
    assert!(events(&context, "skill.script_started").is_empty());
}

#[test]
fn a_run_that_the_standing_of_the_skill_refuses_is_written_down() {
    let context = skill("");
    let lacking =
        "---\nname: lacking\ndescription: x\nmetadata:\n  requires: no-such-command\n---\n";
    context
        .write("../home/.agents/skills/lacking/SKILL.md", lacking)
        .write_skill(".agents/skills/theirs");
    context.done(&["disable", "tools"]);
    for (name, reason) in [
        ("tools", "it is disabled: disabled by `tools` (user)"),
        (
            "theirs",
            "it belongs to a project that you have not trusted",
        ),
        (
            "lacking",
            "it needs commands that are not here: no-such-command",
        ),
    ] {
        // Who only looks runs nothing.
        assert_eq!(context.code(&["run", name, "x.sh", "--explain"]), Some(1));
        let before = events(&context, "skill.script_executed").len();
        assert_eq!(context.code(&["run", name, "x.sh", "--yes"]), Some(1));
        let denied = events(&context, "skill.script_executed");
        assert_eq!(denied.len(), before + 1, "{name}");
        let denied = &denied[before];
        assert_eq!(denied["outcome"], "denied");
        assert_eq!(denied["skill"], name);
        assert_eq!(denied["reason"], reason);
        assert_eq!(denied["detail"]["script"], "x.sh");
        let digest = denied["digest"].as_str().unwrap();
        assert!(digest.starts_with("sha256:"), "{digest}");
    }
}

#[test]
fn a_run_that_a_lock_refuses_is_written_down() {
    let context = skill("");
    let org = context.root().join("org.toml");
    std::fs::write(&org, "locked = [\"sandbox\"]\n").unwrap();
    let mut command = context.skillyard();
    command.env("SKILLYARD_ORG_CONFIG", &org);
    let run = ["run", "tools", "hello.py", "--backend", "none"];
    let ran = output(command.args(run));
    assert_eq!(ran.status.code(), Some(2), "{ran:?}");
    let denied = &events(&context, "skill.script_executed")[0];
    assert_eq!(denied["outcome"], "denied");
    let reason = denied["reason"].as_str().unwrap();
    assert!(reason.contains("--backend none"), "{reason}");
}

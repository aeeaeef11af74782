//! What the configuration allows to scripts: how much they may use, and which programs.

use std::fs;

use serde_json::{Value, json};

use super::{any_script, skill};
use crate::TestContext;

fn explained(context: &TestContext, more: &[&str]) -> Value {
    let usual = ["run", "tools", "hello.py", "--explain", "--json"];
    let arguments: Vec<&str> = usual.iter().chain(more).copied().collect();
    context.json(&arguments)
}

#[test]
fn limits_come_from_the_configuration_and_flags_win() {
    let context = skill("");
    let config = "[sandbox]\ntimeout = 90\nmemory = 200\nprocesses = 20\noutput = 4\n";
    context.write("../home/.skillyard/config.toml", config);
    let limits = explained(&context, &[])["limits"].clone();
    assert_eq!(limits["timeout_ms"], 90_000);
    assert_eq!(limits["cpu_ms"], 90_000);
    assert_eq!(limits["memory_bytes"], 200 << 20);
    assert_eq!(limits["processes"], 20);
    assert_eq!(limits["output_bytes"], 4 << 10);
    let limits = explained(&context, &["--timeout", "5"])["limits"].clone();
    assert_eq!(limits["timeout_ms"], 5_000);
}

#[test]
fn a_project_only_tightens_them() {
    let context = skill("");
    fs::create_dir(context.root().join(".git")).unwrap();
    let project = |text: &str| context.write(".skillyard/config.toml", text);
    project("[sandbox]\ntimeout = 9\ncommands = ['cat']\n");
    assert_eq!(context.code(&["trust", "."]), Some(0));
    let plan = explained(&context, &[]);
    assert_eq!(plan["limits"]["timeout_ms"], 9_000);
    assert_eq!(plan["commands"].as_array().unwrap().len(), 2, "{plan}");
    let user = "[sandbox]\ncommands = ['cat', 'ls']\n";
    context.write("../home/.skillyard/config.toml", user);
    explained(&context, &[]);
    project("[sandbox]\ncommands = ['curl']\n");
    let said = context.run(&["list"]);
    let expected = "a project may only tighten `sandbox.commands`";
    assert!(said.contains(expected), "{said}");
    project("[sandbox]\ntimeout = 61\n");
    let said = context.run(&["list"]);
    assert!(
        said.contains("may only tighten `sandbox.timeout`"),
        "{said}"
    );
}

#[test]
fn only_the_programs_that_are_named_can_be_started() {
    let context = any_script();
    let script = "ls \"$SKILL_DIR\" >/dev/null && echo LS; env >/dev/null 2>&1 && echo ENV; true";
    let run = |more: &[&str]| {
        let usual = ["run", "tools", "any.sh"].iter().chain(more);
        let arguments: Vec<&str> = usual.chain(&["--", script]).copied().collect();
        context.stdout(&arguments)
    };
    assert_eq!(run(&[]), "LS\nENV\n");
    assert_eq!(run(&["--command", "ls"]), "LS\n");
    let set = ["config", "set", "sandbox.commands", "ls", "cat"];
    assert_eq!(context.code(&set), Some(0));
    assert_eq!(run(&[]), "LS\n");
    let said = context.run(&["run", "tools", "any.sh", "--command", "env"]);
    let expected = "error: `env` is not among the programs of `sandbox.commands`";
    assert!(said.contains(expected), "{said}");
    let names = explained(&context, &["--command", "cat"])["commands"].clone();
    let names: Vec<&str> = names
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(names.iter().any(|name| name.ends_with("/cat")), "{names:?}");
    assert_eq!(json!(names.len()), 2, "the interpreter, too");
}

#[test]
fn what_a_skill_asks_for_and_nobody_understands_is_told_and_widens_nothing() {
    let metadata = "metadata:\n  sandbox-timeout: soon\n  sandbox-network: None\n  sandbox-workspace: looking\n";
    let context = skill(metadata);
    let script = "touch written && echo WROTE\n";
    context.write("../home/.agents/skills/tools/scripts/a.sh", script);
    context.mkdir("work");
    let run = ["run", "tools", "a.sh", "--workspace", "work"];
    let with = |more: &[&'static str]| [&run[..], more].concat();
    let plan = context.json(&with(&["--explain", "--json"]));
    assert_eq!(plan["wished_hosts"], json!([]), "{plan}");
    assert_eq!(plan["unread"].as_array().unwrap().len(), 2, "{plan}");
    let explained = context.run(&with(&["--explain"]));
    let timeout = "`sandbox-timeout: soon` is not understood";
    assert!(explained.contains(timeout), "{explained}");
    let ran = context.run(&with(&["--yes"]));
    let workspace = "`sandbox-workspace: looking` is not understood";
    assert!(ran.contains(timeout) && ran.contains(workspace), "{ran}");
    assert!(!ran.contains("WROTE"), "{ran}");
    assert!(!context.root().join("work/written").exists());
    let valid = context.run(&["validate", "tools"]);
    assert!(valid.contains("warning[sandbox-unreadable]"), "{valid}");
    let strict = ["validate", "tools", "--profile", "strict"];
    assert_eq!(context.code(&strict), Some(1));
}

#[test]
fn what_the_flag_is_called_is_understood() {
    let context = skill("metadata:\n  sandbox-workspace: read-only\n  sandbox-timeout: 10s\n");
    context.mkdir("work");
    let plan = explained(&context, &["--workspace", "work"]);
    assert_eq!(plan["limits"]["timeout_ms"], 10_000, "{plan}");
    assert_eq!(plan["mounts"][0]["access"], "read", "{plan}");
    assert_eq!(plan["unread"], json!([]));
}

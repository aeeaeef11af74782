//! Commands of agents: of skills they see what may run, as it was loaded, and nothing else.

use serde_json::json;

use crate::TestContext;
use crate::scripted_model::{call, model_that};

const SKILL: &str = "---\nname: runs\ndescription: Runs. Use for running.\n---\nRun x.sh.\n";
const SCRIPT: &str = "#!/bin/sh\necho RAN\n";

/// A machine with a skill in a folder.
fn machine(folder: &str) -> TestContext {
    let context = TestContext::new();
    context
        .write(&format!("{folder}/SKILL.md"), SKILL)
        .write(&format!("{folder}/scripts/x.sh"), SCRIPT);
    context
}

/// What came of a command in a chat that has loaded the skill, to which the user says yes.
fn told(
    context: &TestContext,
    command: &str,
    meanwhile: impl FnMut(usize) + Send + 'static,
) -> String {
    told_in(context, &[], command, meanwhile)
}

/// The same with more said to the chat.
fn told_in(
    context: &TestContext,
    more: &[&str],
    command: &str,
    meanwhile: impl FnMut(usize) + Send + 'static,
) -> String {
    let command = json!({ "command": command });
    let answers = vec![
        json!({ "tool_calls": [call("c1", "skill_load", &json!({ "name": "runs" }))] }),
        json!({ "tool_calls": [call("c2", "Bash", &command)] }),
        json!({ "content": "Done." }),
    ];
    let (url, asked) = model_that(answers, meanwhile);
    context.done(&["config", "set", "models.mock.url", &url]);
    let chat = ["chat", "--model", "mock/m", "--tool-mode", "native"];
    context.done(&[&chat[..], &["--yes", "-p", "Run it."], more].concat());
    let asked = asked.lock().unwrap();
    let messages = asked.last().unwrap()["messages"].as_array().unwrap();
    let result = messages.iter().find(|each| each["tool_call_id"] == "c2");
    result.unwrap()["content"].to_string()
}

#[test]
fn a_command_starts_scripts_that_may_run() {
    let context = machine("../home/.agents/skills/runs");
    let script = context.home().join(".agents/skills/runs/scripts/x.sh");
    let script = script.canonicalize().unwrap();
    let command = format!("sh {}; ls", script.display());
    let said = told(&context, &command, |_| {});
    assert!(said.contains("RAN"), "{said}");
    // Nobody approved what it has become since it was loaded.
    let said = told(&context, &command, move |left| {
        if left == 1 {
            std::fs::write(&script, "echo OTHER\n").unwrap();
        }
    });
    assert!(!said.contains("OTHER"), "{said}");
    assert!(said.contains("changed since it was loaded"), "{said}");
}

#[test]
fn a_command_starts_no_blocked_script() {
    let context = machine("../home/.agents/skills/runs");
    context.done(&["config", "set", "trust.own.scripts", "blocked"]);
    let script = context.home().join(".agents/skills/runs/scripts/x.sh");
    let script = script.canonicalize().unwrap();
    let command = format!("sh {0} || cat {0}; echo over", script.display());
    let said = told(&context, &command, |_| {});
    assert!(!said.contains("RAN") && said.contains("over"), "{said}");
    let why = "the files of `runs` are not there for commands";
    assert!(said.contains(why), "{said}");
    context.done(&["config", "set", "trust.own.scripts", "sandboxed"]);
    let said = told(&context, &command, |_| {});
    assert!(said.contains("RAN") && !said.contains(why), "{said}");
}

#[test]
fn nor_one_in_the_workspace() {
    let context = machine(".agents/skills/runs");
    context.done(&["trust", "."]);
    let command = "sh .agents/skills/runs/scripts/x.sh; ls .agents/skills; echo x > made; cat made";
    let said = told(&context, command, |_| {});
    assert!(said.contains("RAN"), "{said}");
    context.done(&["config", "set", "trust.local.scripts", "blocked"]);
    let said = told(&context, command, |_| {});
    assert!(!said.contains("RAN"), "{said}");
    let why = "the files of `runs` are not there for commands";
    assert!(said.contains(why) && said.contains("exit code 0"), "{said}");
    assert_eq!(context.read("made"), "x\n");
    assert_eq!(context.read(".agents/skills/runs/scripts/x.sh"), SCRIPT);
}

/// Starts every script of that name that it finds.
const ALL: &str = "for i in $(find . -name x.sh); do sh $i; done; echo over";

#[test]
fn nor_any_copy_of_one_whoever_may_use_it() {
    let context = machine("lib/runs");
    context.write_skill("../home/.agents/skills/other");
    let install = ["install", "./lib/runs", "--scope", "project", "--yes"];
    let agents = ["--agent", "claude-code,codex"];
    context.done(&[&install[..], &agents].concat());
    std::fs::remove_dir_all(context.root().join("lib")).unwrap();
    // A project below has its own.
    let below = "packages/a/.agents/skills/runs";
    context
        .write(&format!("{below}/SKILL.md"), SKILL)
        .write(&format!("{below}/scripts/x.sh"), SCRIPT);
    context.done(&["trust", "."]);
    let ran = told(&context, ALL, |_| {}).matches("RAN").count();
    assert_eq!(ran, 3);
    context.done(&["config", "set", "trust.local.scripts", "blocked"]);
    let why = "the files of `runs` are not there for commands";
    let check = |more: &[&str]| {
        let said = told_in(&context, more, ALL, |_| {});
        assert!(!said.contains("RAN"), "{more:?}: {said}");
        assert!(said.contains("over") && said.contains(why), "{said}");
    };
    check(&[]);
    check(&["--allow", "other"]);
    context.done(&["disable", "runs"]);
    check(&[]);
}

#[test]
fn nor_of_another_project_below_wherever_it_keeps_them() {
    let context = machine("../home/.agents/skills/runs");
    context.mkdir(".git").mkdir("sub/.git");
    let folders = [
        ".skills/runs",
        ".claude/skills/group/runs",
        ".claude/skills/a/b/c/d/e/f/g/runs",
        ".opencode/skill/runs",
        ".posit/assistant/skills/runs",
    ];
    for folder in folders {
        context
            .write(&format!("sub/{folder}/SKILL.md"), SKILL)
            .write(&format!("sub/{folder}/scripts/x.sh"), SCRIPT);
    }
    context.done(&["trust", "."]);
    let said = told(&context, ALL, |_| {});
    assert!(!said.contains("RAN") && said.contains("over"), "{said}");
    context.done(&["trust", "sub"]);
    let ran = told(&context, ALL, |_| {}).matches("RAN").count();
    assert_eq!(ran, folders.len());
}

#[test]
fn nor_in_a_project_that_is_not_trusted() {
    let context = machine(".agents/skills/runs");
    context.mkdir(".git");
    let said = told(&context, ALL, |_| {});
    assert!(!said.contains("RAN") && said.contains("over"), "{said}");
}

#[test]
fn nor_from_inside_of_a_blocked_skill() {
    let context = machine("../home/.agents/skills/runs");
    let skill = context.home().join(".agents/skills/runs");
    for folder in [skill.clone(), skill.join("scripts")] {
        let more = ["--workspace", folder.to_str().unwrap()];
        let said = told_in(&context, &more, ALL, |_| {});
        assert!(said.contains("RAN"), "{said}");
        context.done(&["config", "set", "trust.own.scripts", "blocked"]);
        let said = told_in(&context, &more, ALL, |_| {});
        assert!(!said.contains("RAN") && !said.contains("over"), "{said}");
        let why = "it belongs to the skill `runs`, whose scripts are blocked";
        assert!(said.contains(why), "{said}");
        context.done(&["config", "set", "trust.own.scripts", "sandboxed"]);
    }
}

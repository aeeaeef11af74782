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
    let command = json!({ "command": command });
    let answers = vec![
        json!({ "tool_calls": [call("c1", "skill_load", &json!({ "name": "runs" }))] }),
        json!({ "tool_calls": [call("c2", "Bash", &command)] }),
        json!({ "content": "Done." }),
    ];
    let (url, asked) = model_that(answers, meanwhile);
    context.done(&["config", "set", "models.mock.url", &url]);
    let chat = ["chat", "--model", "mock/m", "--tool-mode", "native"];
    context.done(&[&chat[..], &["--yes", "-p", "Run it."]].concat());
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

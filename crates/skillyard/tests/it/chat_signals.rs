//! `skillyard chat` and the signals that end programs.

use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::TestContext;
use crate::mcp_ends::until;
use crate::scripted_model::{call, model};

/// A chat whose model calls a command that takes long.
fn chat(context: &TestContext, flags: &[&str]) -> Command {
    let wait = json!({ "command": "touch began; sleep 300" });
    let (url, _) = model(vec![json!({ "tool_calls": [call("a", "Bash", &wait)] })]);
    let mut command = context.skillyard();
    command.args(["--config", &format!("models.test.url={url}")]);
    command.args(["--config", "models.test.tool_mode=native", "chat"]);
    command.args(["--model", "test/m", "--yes"]).args(flags);
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Waits until the command runs, and sends a signal.
fn stop(context: &TestContext, child: &Child) {
    let began = context.root().join("began");
    until(|| began.exists(), "the command does not begin");
    std::fs::remove_file(&began).unwrap();
    kill_process(Pid::from_child(child), Signal::TERM).unwrap();
}

#[test]
fn a_turn_that_is_ended_is_told_and_kept() {
    let context = TestContext::new();
    let prompt = ["-p", "go", "--output-format", "stream-json"];
    let child = chat(&context, &prompt).spawn().unwrap();
    stop(&context, &child);
    let told = child.wait_with_output().unwrap();
    assert_eq!(told.status.code(), Some(130), "{told:?}");
    let lines = String::from_utf8(told.stdout).unwrap();
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let last = lines.last().unwrap();
    assert_eq!(last["type"], "answer", "{last}");
    assert_eq!(lines[lines.len() - 2]["reason"], "cancelled", "{lines:?}");
    let session = last["session"].as_str().unwrap();
    let kept = context.stdout(&["chat", "--export", session]);
    assert!(kept.contains("go") && kept.contains("sleep 300"), "{kept}");
    let left = std::fs::read_dir(context.root()).unwrap();
    let left: Vec<_> = left.map(|each| each.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_talk_that_is_ended_waits_for_nothing_more() {
    let context = TestContext::new();
    let mut child = chat(&context, &[]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "go").unwrap();
    stop(&context, &child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let mut told = String::new();
    child.stderr.unwrap().read_to_string(&mut told).unwrap();
    assert!(
        told.contains("Go on with `skillyard chat --resume"),
        "{told}"
    );
    drop(stdin);
}

#[test]
fn where_nothing_is_under_way_a_signal_ends_it_at_once() {
    let context = TestContext::new();
    let mut child = chat(&context, &[]).spawn().unwrap();
    let mut told = [0; 7];
    // It says hello, then it waits for words.
    child
        .stderr
        .as_mut()
        .unwrap()
        .read_exact(&mut told)
        .unwrap();
    assert_eq!(&told, b"Session");
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let status = child.wait().unwrap();
    let ended = status.signal() == Some(Signal::TERM.as_raw()) || status.success();
    assert!(ended, "{status:?}");
}

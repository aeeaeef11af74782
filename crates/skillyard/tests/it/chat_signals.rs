//! `skillyard chat` and the signals that end programs.

use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::TestContext;
use crate::mcp_shutdown::until;
use crate::scripted_model::{call, model};
use crate::terminal::typed_with;

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
    for signal in [Signal::TERM, Signal::INT] {
        let mut child = chat(&context, &[]).spawn().unwrap();
        let mut told = [0; 7];
        // It says hello, then it waits for words.
        let stderr = child.stderr.as_mut().unwrap();
        stderr.read_exact(&mut told).unwrap();
        assert_eq!(&told, b"Session");
        kill_process(Pid::from_child(&child), signal).unwrap();
        until(|| child.try_wait().unwrap().is_some(), "it does not end");
        let status = child.wait().unwrap();
        let ended = status.signal() == Some(signal.as_raw()) || status.code() == Some(130);
        assert!(ended, "{signal:?}: {status:?}");
    }
}

#[test]
fn nobody_who_reads_is_waited_for() {
    let context = TestContext::new();
    // More than a pipe holds.
    let words = "word ".repeat(100_000);
    let (url, _) = model(vec![json!({ "content": words })]);
    let mut command = context.skillyard();
    command.args(["--config", &format!("models.test.url={url}")]);
    command.args(["--config", "models.test.tool_mode=native", "chat"]);
    command.args(["--model", "test/m", "-p", "go"]);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let stdout = child.stdout.take().unwrap();
    // It is one piece, most of which finds no room.
    let has_begun = || rustix::io::ioctl_fionread(&stdout).unwrap() > 0;
    until(has_begun, "nothing is written");
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    until(|| child.try_wait().unwrap().is_some(), "it does not end");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let kept = context.stdout(&["chat", "--export", "last"]);
    assert!(kept.contains("go"), "{kept}");
}

/// A chat at a terminal that asks whether it may run a command, and what is done then.
fn asked(context: &TestContext, done: &str, answer: &str) -> (String, i32) {
    let then = [
        ("Allow it?", done),
        ("", answer),
        ("ALL-DONE", ""),
        ("> ", "\x04"),
    ];
    talk(context, "xterm", &then)
}

/// A chat at such a terminal that asks whether it may run a command, and what is done from then on.
fn talk(context: &TestContext, terminal: &str, then: &[(&str, &str)]) -> (String, i32) {
    let echo = json!({ "command": "echo hi" });
    let answers = vec![
        json!({ "tool_calls": [call("a", "Bash", &echo)] }),
        json!({ "content": "ALL-DONE" }),
    ];
    let (url, _) = model(answers);
    let url = format!("models.test.url={url}");
    let mode = "models.test.tool_mode=native";
    let arguments = ["--config", &url, "--config", mode, "chat"];
    let arguments = [&arguments[..], &["--model", "test/m"]].concat();
    let answers = [&[("> ", "go\r")], then].concat();
    typed_with(context, &[("TERM", terminal)], &arguments, &answers)
}

#[test]
fn a_question_is_left_and_the_terminal_is_as_it_was() {
    for signal in ["SIGNAL:TERM", "SIGNAL:QUIT"] {
        let context = TestContext::new();
        let (shown, code) = asked(&context, signal, "");
        assert_eq!(code, 130, "{signal}: {shown}");
        assert!(shown.contains("Go on with `skillyard chat"), "{shown}");
        assert!(shown.contains("[ECHO]"), "{signal}: {shown}");
        let kept = context.stdout(&["chat", "--export", "last"]);
        assert!(kept.contains("go"), "{kept}");
    }
}

#[test]
fn a_terminal_of_another_size_answers_nothing() {
    let context = TestContext::new();
    let (shown, code) = asked(&context, "SIGNAL:WINCH", "once\r");
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("ALL-DONE"), "{shown}");
    assert!(!shown.contains("stopped"), "{shown}");
}

#[test]
fn a_signal_for_ctrl_c_leaves_the_question_and_the_talk_goes_on() {
    // The second has questions that are plain lines.
    for terminal in ["xterm", "dumb"] {
        let context = TestContext::new();
        let then = [
            ("Allow it?", "SIGNAL:INT"),
            ("stopped", ""),
            // Nobody is left behind who would take these for an answer.
            ("> ", "and go on\r"),
            ("ALL-DONE", ""),
            ("> ", "\x04"),
        ];
        let (shown, code) = talk(&context, terminal, &then);
        assert_eq!(code, 0, "{terminal}: {shown}");
        assert!(shown.contains("ALL-DONE"), "{terminal}: {shown}");
        assert!(shown.contains("[ECHO]"), "{terminal}: {shown}");
        // That is said once.
        assert!(!shown.contains("denied"), "{terminal}: {shown}");
        assert!(!shown.contains("ancelled"), "{terminal}: {shown}");
        let kept = context.stdout(&["chat", "--export", "last"]);
        assert!(kept.contains("\nand go on\n"), "{terminal}: {kept}");
    }
}

#[test]
fn a_signal_for_ctrl_c_where_a_line_is_awaited_ends_the_talk() {
    let context = TestContext::new();
    let then = [
        ("Allow it?", "SIGNAL:INT"),
        ("stopped", ""),
        ("> ", "some words"),
        ("words", "SIGNAL:INT"),
    ];
    let (shown, code) = talk(&context, "xterm", &then);
    assert_eq!(code, 130, "{shown}");
    assert!(shown.contains("[ECHO]"), "{shown}");
    let last = |word: &str| shown.rfind(word);
    assert!(last("\x1b[?2004l") > last("\x1b[?2004h"), "{shown:?}");
    let kept = context.stdout(&["chat", "--export", "last"]);
    assert!(kept.contains("\ngo\n"), "{kept}");
}

#[test]
fn ctrl_c_that_is_typed_takes_back_a_line_however_often() {
    let context = TestContext::new();
    let then = [
        ("Allow it?", "SIGNAL:INT"),
        ("stopped", ""),
        ("> ", "one\x03"),
        ("ends the talk", ""),
        ("> ", "two\x03"),
        ("ends the talk", ""),
        ("> ", "three\r"),
        ("ALL-DONE", ""),
        ("> ", "\x04"),
    ];
    let (shown, code) = talk(&context, "xterm", &then);
    assert_eq!(code, 0, "{shown}");
    let kept = context.stdout(&["chat", "--export", "last"]);
    assert!(kept.contains("\nthree\n"), "{kept}");
    assert!(!kept.contains("one") && !kept.contains("two"), "{kept}");
}

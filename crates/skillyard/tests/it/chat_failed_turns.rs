//! How turns of `skillyard chat` end that have no answer, and how they do not end.

use std::net::TcpListener;

use serde_json::{Value, json};

use crate::chat::conformance;
use crate::scripted_model::{call, model};
use crate::{TestContext, output, text};

/// A turn with a model that gives these answers: how it ended, and what is on stdout.
fn said(context: &TestContext, answers: Vec<Value>, flags: &[&str]) -> (Option<i32>, String) {
    let (url, _) = model(answers);
    let mut command = context.skillyard();
    command.args(["--config", &format!("models.test.url={url}")]);
    command.args(["--config", "models.test.tool_mode=native", "chat"]);
    command.args(flags);
    let told = output(&mut command);
    (told.status.code(), text(&told.stdout))
}

const NEW: [&str; 4] = ["--model", "test/m", "-p", "go"];
const JSON: [&str; 6] = ["--model", "test/m", "-p", "go", "--output-format", "json"];

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_server_that_says_nothing_is_given_up_once() {
    let context = TestContext::new();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("models.test.url=http://{}/v1", silent.local_addr().unwrap());
    let mut command = context.skillyard();
    command.args(["--config", &url, "--config", "models.test.silence=1"]);
    command.args(["--config", "models.test.tool_mode=native", "chat"]);
    let told = output(command.args(NEW));
    assert_eq!(told.status.code(), Some(2));
    let told = text(&told.stderr);
    assert!(told.contains("said nothing for 1 seconds"), "{told}");
    assert!(told.contains("models.SERVER.silence"), "{told}");
    silent.set_nonblocking(true).unwrap();
    assert!(silent.accept().is_ok());
    assert!(silent.accept().is_err(), "it was asked once more");
}

#[test]
fn who_changes_and_tests_goes_on() {
    let context = TestContext::new();
    context.write("a.txt", "v0\n");
    let step = |tool: &str, at: usize, arguments: &Value| json!({ "tool_calls": [call(&format!("{tool}{at}"), tool, arguments)] });
    let mut answers = Vec::new();
    for at in 0..8 {
        let edit =
            json!({ "path": "a.txt", "old": format!("v{at}"), "new": format!("v{}", at + 1) });
        answers.push(step("Edit", at, &edit));
        answers.push(step("Bash", at, &json!({ "command": "cat a.txt" })));
    }
    answers.push(json!({ "content": "Done." }));
    let (code, told) = said(&context, answers, &[&JSON[..], &["--yes"]].concat());
    let told = read(&told);
    assert_eq!(
        (code, &told["end"]),
        (Some(0), &json!("answered")),
        "{told}"
    );
    assert_eq!(told["answer"], "Done.");
    assert_eq!(context.read("a.txt"), "v8\n");
    assert!(!told.to_string().contains("several times"), "{told}");
    // Who does the same and gets the same gets nowhere.
    let again = |at| step("Bash", at, &json!({ "command": "cat a.txt" }));
    let answers = (0..8).map(again).collect();
    let (code, told) = said(&context, answers, &[&JSON[..], &["--yes"]].concat());
    let told = read(&told);
    assert_eq!(
        (code, &told["end"]),
        (Some(1), &json!("repetition")),
        "{told}"
    );
    assert_eq!(told["calls"].as_array().unwrap().len(), 6);
}

#[test]
fn what_is_no_answer_is_shown_as_none() {
    for (answer, words, end) in [
        (
            json!({ "content": "Half", "finish_reason": "length" }),
            "Half\n\n(cut off: the limit of tokens was reached)",
            "length",
        ),
        (
            json!({ "content": "Half", "finish_reason": "content_filter" }),
            "Half\n\n(refused by the model or its server)",
            "refused",
        ),
        (
            json!({ "content": "", "finish_reason": "content_filter" }),
            "(refused by the model or its server)",
            "refused",
        ),
        (
            json!({ "content": "" }),
            "(the model said nothing)",
            "empty",
        ),
    ] {
        let context = TestContext::new();
        let (code, told) = said(&context, vec![answer.clone()], &NEW);
        assert_eq!((code, told), (Some(1), format!("{words}\n")), "{answer}");
        let export = context.run(&["chat", "--export", "last"]);
        assert!(export.contains(words), "{export}");
        let (code, told) = said(&context, vec![answer], &JSON);
        let told = read(&told);
        assert_eq!((code, &told["end"]), (Some(1), &json!(end)), "{told}");
        let given = if words.starts_with('(') { "" } else { words };
        assert_eq!(told["answer"], given);
        assert_eq!(context.code(&["audit", "replay", "last"]), Some(0));
    }
}

#[test]
fn the_answer_of_an_earlier_turn_is_not_given_again() {
    let context = TestContext::new();
    let (code, _) = said(&context, vec![json!({ "content": "Rome." })], &NEW);
    assert_eq!(code, Some(0));
    for format in ["json", "stream-json"] {
        let flags = [
            "--resume",
            "last",
            "-p",
            "and now?",
            "--output-format",
            format,
        ];
        let (code, told) = said(&context, vec![json!({ "content": "" })], &flags);
        assert_eq!(code, Some(1), "{told}");
        let last = match format {
            "json" => read(&told)["answer"].clone(),
            _ => read(told.lines().last().unwrap())["text"].clone(),
        };
        assert_eq!(last, "", "{told}");
    }
}

#[test]
fn where_nobody_can_be_asked_nobody_said_no() {
    let context = TestContext::new();
    let bash = call("a", "Bash", &json!({ "command": "ls" }));
    let answers = vec![
        json!({ "tool_calls": [bash] }),
        json!({ "content": "Well." }),
    ];
    let (_, told) = said(&context, answers, &JSON);
    let told = read(&told)["calls"].to_string();
    assert!(told.contains("Denied: nobody could be asked"), "{told}");
    let log = context.json(&["audit", "log", "--event", "approval.denied", "--json"]);
    assert_eq!(log["events"][0]["reason"], "nobody could be asked");
}

#[test]
fn an_export_names_the_model_of_each_answer() {
    let context = conformance();
    let first = ["chat", "--model", "offline", "-p", "hello there"];
    assert_eq!(context.code(&first), Some(0));
    let flags = ["--resume", "last", "--model", "test/m", "-p", "second"];
    let (code, _) = said(&context, vec![json!({ "content": "Gone on." })], &flags);
    assert_eq!(code, Some(0));
    let told = context.run(&["chat", "--export", "last"]);
    assert!(told.contains(", model offline, then test/m\n"), "{told}");
    let heads: Vec<&str> = told
        .lines()
        .filter(|line| line.starts_with("## "))
        .collect();
    assert_eq!(
        heads,
        ["## You", "## offline", "## offline", "## You", "## test/m"]
    );
    let told = context.json(&["chat", "--export", "last", "--json"]);
    assert_eq!(told["earlier"][0]["model"], "offline");
    assert_eq!(told["earlier"][0]["messages"], 4);
}

#[test]
fn a_skill_that_a_router_chose_is_exported_as_such() {
    let context = conformance();
    let words = "validate the skills system";
    let turn = ["chat", "--strategy", "router", "-p", words];
    assert_eq!(context.code(&turn), Some(0));
    let told = context.run(&["chat", "--export", "last"]);
    assert!(told.contains(", by the router)\n"), "{told}");
    assert_eq!(context.code(&["audit", "replay", "last"]), Some(0));
}

//! What programs learn of `skillyard chat` through a pipe when a turn has no answer.

use std::fs;
use std::process::Output;

use serde_json::{Value, json};

use crate::chat::refusing;
use crate::scripted_model::{call, model};
use crate::{TestContext, output, text};

/// A talk with a model at an address, of these lines.
fn talk(context: &TestContext, url: &str, said: &str, flags: &[&str]) -> Output {
    context.write("said.txt", said);
    let mut command = context.skillyard();
    command.args(["--config", &format!("models.test.url={url}")]);
    command.args(["--config", "models.test.tool_mode=native"]);
    command.args(["chat", "--model", "test/m"]).args(flags);
    command.stdin(fs::File::open(context.root().join("said.txt")).unwrap());
    output(&mut command)
}

fn objects(told: &Output) -> Vec<Value> {
    let all = serde_json::Deserializer::from_slice(&told.stdout).into_iter::<Value>();
    all.map(Result::unwrap).collect()
}

#[test]
fn a_model_that_cannot_be_asked_is_told_as_for_one_prompt() {
    let context = TestContext::new();
    for format in ["text", "json", "stream-json"] {
        let told = talk(&context, &refusing(), "hi\n", &["--output-format", format]);
        assert_eq!(told.status.code(), Some(2), "{format}");
        let notes = text(&told.stderr);
        assert!(notes.contains("hint: Set the right key"), "{notes}");
        let objects = objects(&told);
        let Some(last) = objects.last() else {
            assert_eq!(format, "text");
            continue;
        };
        let error = if format == "json" {
            &last["error"]
        } else {
            last
        };
        assert!(error["message"].as_str().unwrap().contains("401"), "{last}");
        assert!(error["causes"].is_array(), "{last}");
        let hint = error["hint"].as_str().unwrap();
        assert!(hint.starts_with("Set the right key"), "{last}");
        assert!(last["session"].as_str().unwrap().starts_with("s-"));
        if format == "stream-json" {
            assert_eq!(last["type"], "error");
        }
    }
}

#[test]
fn the_worst_turn_is_the_status() {
    let context = TestContext::new();
    let said = |words: &str| json!({ "content": words });
    let (url, _) = model(vec![said("One.")]);
    assert_eq!(talk(&context, &url, "one\n", &[]).status.code(), Some(0));
    // One that has no answer, between two that have one.
    let (url, _) = model(vec![said("One."), said(""), said("Three.")]);
    let told = talk(&context, &url, "one\ntwo\nthree\n", &["--json"]);
    assert_eq!(told.status.code(), Some(1));
    let answers = objects(&told);
    let answers: Vec<&Value> = answers.iter().map(|each| &each["answer"]).collect();
    assert_eq!(answers, ["One.", "", "Three."]);
    // A skill that is not there leaves no session, and is the only reason.
    let told = talk(&context, &url, "/nosuch x\n", &["--json"]);
    assert_eq!(told.status.code(), Some(1));
    let [only] = &objects(&told)[..] else {
        panic!("{}", text(&told.stdout));
    };
    assert!(
        only["error"]["message"]
            .as_str()
            .unwrap()
            .contains("nosuch")
    );
    assert_eq!(only["error"]["hint"], "`/skills` lists the skills");
    assert!(only["session"].is_null(), "{only}");
    // What is too long is told, too.
    let long = "x".repeat((1 << 20) + 1);
    let told = talk(&context, &url, &format!("{long}\n"), &["--json"]);
    assert_eq!(told.status.code(), Some(2));
    let [only] = &objects(&told)[..] else {
        panic!("{}", text(&told.stdout));
    };
    assert_eq!(only["error"]["message"], "the prompt has more than 1 MiB");
}

#[test]
fn who_stops_reading_stops_the_turn() {
    let context = TestContext::new();
    for format in ["text", "stream-json"] {
        let step = |number: usize| {
            let command = format!("sleep 0.3; touch {format}-{number}");
            let asked = call(
                &format!("c{number}"),
                "Bash",
                &json!({ "command": command }),
            );
            json!({ "content": "I go on.\n", "tool_calls": [asked] })
        };
        let (url, _) = model((0..6).map(step).collect());
        let program = env!("CARGO_BIN_EXE_skillyard");
        let mut command = context.command("sh");
        command.arg("-c").arg(format!(
            "{program} --config models.test.url={url} --config models.test.tool_mode=native \
             chat --model test/m --yes -p go --output-format {format} | head -n 1"
        ));
        let told = output(&mut command);
        assert!(!told.stdout.is_empty(), "{}", text(&told.stderr));
        assert!(
            !context.root().join(format!("{format}-5")).exists(),
            "{format}"
        );
    }
}

#[test]
fn words_go_into_a_pipe_as_they_came() {
    let context = TestContext::new();
    let words = "The title is set with \u{1b}]0; like that.\nSecond \u{1b}[31mred.\nThird.";
    let (url, _) = model(vec![json!({ "content": words })]);
    let told = talk(&context, &url, "hi\n", &[]);
    assert_eq!(text(&told.stdout), format!("{words}\n"));
}

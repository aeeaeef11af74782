//! A model that makes calls without end, with ids of its own choice.

use std::fs;

use serde_json::{Value, json};

use crate::TestContext;
use crate::scripted_model::{call, chat, model};
use crate::serve_chat::Serving;

const LOG: &str = "../home/.skillyard/logs/audit.jsonl";

/// An answer with many calls of what is not there.
fn many(count: usize, round: usize) -> Value {
    let calls = (0..count).map(|at| {
        let path = format!("{round}-{at}-{}", "x".repeat(3_000));
        let path = json!({ "name": "skill-authoring", "path": path });
        let id = format!("ghp_abcdefghijklmnopqrstuvwx{round:02}{at:010}");
        let mut made = call(&id, "skill_read", &path);
        made["index"] = json!(at);
        made
    });
    json!({ "tool_calls": calls.collect::<Vec<_>>() })
}

#[test]
fn an_answer_has_so_many_calls_and_odd_ids_are_found_again() {
    let context = TestContext::new();
    let answers = vec![many(200, 0), json!({ "content": "Done." })];
    let (_, requests) = chat(&context, answers, &[]);
    let made = context.json(&["audit", "log", "--event", "skill.resource_read", "--json"]);
    assert_eq!(made["events"].as_array().unwrap().len(), 128);
    let told = requests.lock().unwrap().last().unwrap().to_string();
    assert_eq!(told.matches("an answer has at most 128 calls").count(), 72);
    assert_eq!(context.code(&["audit", "replay", "last"]), Some(0));
}

#[test]
fn a_token_adds_no_more_than_its_share_in_a_turn() {
    let answers = (0..8).map(|round| many(128, round)).collect();
    let (url, _) = model(answers);
    let context = TestContext::configured(&format!(
        "[agents]\nmodel = \"mock/m\"\n\n[models.mock]\nurl = \"{url}\"\ntool_mode = \"native\"\n"
    ));
    let token = "chat-token-0123456789abcdef";
    context.write("tokens", format!("chat {token}\n"));
    let tokens = context.root().join("tokens");
    let mut chmod = context.command("chmod");
    assert!(chmod.arg("600").arg(&tokens).status().unwrap().success());
    let serving = Serving::start(&context, &["--token-file", tokens.to_str().unwrap()]);
    let header = format!("authorization: Bearer {token}\r\n");
    let ask = |method: &str, path: &str, body: &Value| {
        let (status, text) = serving.ask_with(method, path, &header, body);
        assert!(status < 300, "{method} {path}: {status} {text}");
        serde_json::from_str::<Value>(&text).unwrap_or_default()
    };
    let opened = ask("POST", "/api/v1/sessions", &json!({}));
    let path = format!("/api/v1/sessions/{}", opened["id"].as_str().unwrap());
    ask(
        "POST",
        &format!("{path}/messages"),
        &json!({ "text": "Go." }),
    );
    while ask("GET", &path, &Value::Null)["busy"] == true {}
    let written = fs::metadata(context.root().join(LOG)).unwrap().len();
    assert!((500_000..1_300_000).contains(&written), "{written}");
}

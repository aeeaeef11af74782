//! How it is found out how a model calls tools.

use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};
use skillyard_agent::probe::{ProbeCache, Probed, Proof, probe};
use skillyard_agent::provider::ProviderError;
use skillyard_agent::provider::openai_chat::{LimitName, OpenAiChat};
use skillyard_agent::settings::ToolMode;
use tempfile::TempDir;

use crate::server::{Reply, Server};

fn says(text: &str) -> Reply {
    stream(&json!({ "content": text }))
}

fn stream(delta: &Value) -> Reply {
    ends(delta, "stop")
}

fn ends(delta: &Value, reason: &str) -> Reply {
    let chunk = json!({ "choices": [{ "delta": delta, "finish_reason": reason }] });
    Reply::stream(format!("data: {chunk}\n\ndata: [DONE]\n\n"))
}

fn calls(name: &str, arguments: &str) -> Reply {
    let function = json!({ "name": name, "arguments": arguments });
    stream(
        &json!({ "tool_calls": [{ "index": 0, "id": "c", "type": "function", "function": function }] }),
    )
}

fn check(replies: Vec<Reply>, mode: ToolMode) -> usize {
    let proof = Proof::Answered;
    found(replies, Probed { mode, proof }).len()
}

fn local(server: &Server) -> OpenAiChat {
    OpenAiChat {
        name: "local".into(),
        endpoint: server.endpoint("", "x-test", "y".into()),
        limit_name: LimitName::MaxTokens,
    }
}

/// The limits of the answers that were asked for.
fn found(replies: Vec<Reply>, expected: Probed) -> Vec<u64> {
    let server = Server::start(replies);
    let found = probe(&local(&server), "m", &AtomicBool::new(false)).unwrap();
    assert_eq!(found, expected);
    let asked = server.asked().into_iter();
    let limit = |body: &Value| body["max_tokens"].as_u64().unwrap();
    asked.map(|asked| limit(&asked.body)).collect()
}

#[test]
fn what_a_model_does_is_what_it_can() {
    let shaped = || says(r#"{"action":"note_word","text":"Hello!"}"#);
    let call = || calls("note_word", r#"{"word":"lighthouse"}"#);
    assert_eq!(check(vec![call()], ToolMode::Native), 1);
    // A call in the text, broken arguments, another tool: none of them is a call.
    let fenced = says("```json\n{\"name\": \"note_word\"}\n```");
    check(vec![fenced, shaped()], ToolMode::JsonSchema);
    let broken = calls("note_word", r#""word": "lighthouse"}"#);
    check(vec![broken, shaped()], ToolMode::JsonSchema);
    check(vec![calls("other", "{}"), shaped()], ToolMode::JsonSchema);
    // A server that refuses tools, or shapes, has answered.
    let refuses = || Reply::error(400, "", r#"{"error":{"message":"no tools here"}}"#);
    check(vec![refuses(), shaped()], ToolMode::JsonSchema);
    check(vec![refuses(), says("Hello!")], ToolMode::Text);
    let takes_neither = vec![refuses(), refuses(), says("Hello!")];
    assert_eq!(check(takes_neither, ToolMode::Text), 3);
}

#[test]
fn a_server_that_fails_has_said_nothing_about_tools() {
    for status in [400, 500] {
        let fails = || Reply::error(status, "", r#"{"error":{"message":"not now"}}"#);
        let server = Server::start((0..12).map(|_| fails()).collect());
        let found = probe(&local(&server), "m", &AtomicBool::new(false));
        assert!(
            matches!(found, Err(ProviderError::Status { status: said, .. }) if said == status),
            "{found:?}"
        );
    }
}

#[test]
fn an_answer_that_was_cut_off_proves_nothing() {
    let thinks = || ends(&json!({ "reasoning_content": "hmm" }), "length");
    let thinks_aloud = || ends(&json!({ "content": "<think>hmm" }), "length");
    let speaks = || ends(&json!({ "content": "Well, the tool" }), "length");
    let call = || calls("note_word", r#"{"word":"lighthouse"}"#);
    let shaped = || says(r#"{"action":"note_word","text":"Hello!"}"#);
    let answered = |mode| Probed {
        mode,
        proof: Proof::Answered,
    };
    let native = answered(ToolMode::Native);
    assert_eq!(found(vec![thinks(), call()], native), [200, 2_000]);
    let long = vec![thinks_aloud(), thinks_aloud(), call()];
    assert_eq!(found(long, native), [200, 2_000, 8_000]);
    // Who speaks for so long without a call makes none.
    let shape = answered(ToolMode::JsonSchema);
    let words = vec![speaks(), speaks(), thinks(), shaped()];
    assert_eq!(found(words, shape), [200, 2_000, 200, 2_000]);
    // What never comes to the point is tried and not believed, nor is a server without the room.
    let cut_off = Probed {
        mode: ToolMode::Native,
        proof: Proof::CutOff,
    };
    found(vec![thinks(), thinks(), thinks()], cut_off);
    let no_room = Reply::error(
        400,
        "",
        r#"{"error":{"message":"max_tokens is too large"}}"#,
    );
    found(vec![thinks(), no_room], cut_off);
}

#[test]
fn a_server_that_refuses_the_key_has_said_nothing_about_tools() {
    let server = Server::start(vec![Reply::error(401, "", "who are you?")]);
    let found = probe(&local(&server), "m", &AtomicBool::new(false));
    assert!(matches!(
        found,
        Err(ProviderError::Status { status: 401, .. })
    ));
}

#[test]
fn what_was_found_is_kept_by_model_and_address() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("index/models.json");
    let cache = ProbeCache::new(&file);
    let url = "http://user:secret@127.0.0.1:1/v1";
    assert_eq!(cache.get(url, "m"), None);
    cache.set(url, "m", ToolMode::JsonSchema).unwrap();
    assert_eq!(cache.get(url, "m"), Some(ToolMode::JsonSchema));
    assert_eq!(cache.get(url, "n"), None);
    assert_eq!(cache.get("http://127.0.0.1:2/v1", "m"), None);
    assert!(!std::fs::read_to_string(&file).unwrap().contains("secret"));
    // What cannot be read is nothing, and is written anew.
    std::fs::write(&file, "{broken").unwrap();
    assert_eq!(cache.get(url, "m"), None);
    cache.set(url, "m", ToolMode::Text).unwrap();
    assert_eq!(cache.get(url, "m"), Some(ToolMode::Text));
}

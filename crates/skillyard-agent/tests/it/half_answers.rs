//! Answers that end otherwise than a whole one does, as servers tell it.

use serde_json::{Value, json};
use skillyard_agent::TurnError;
use skillyard_agent::front_end::{ApprovalAnswer, EndReason, TurnEvent};
use skillyard_agent::provider::http::Endpoint;
use skillyard_agent::provider::openai_chat::{LimitName, OpenAiChat};
use skillyard_agent::provider::{Provider, anthropic::Anthropic};
use skillyard_agent::settings::AgentSettings;

use crate::lab::{Front, Lab, Scripted};
use crate::server::{KEY, Reply, Server};

fn chat(endpoint: Endpoint) -> Box<dyn Provider> {
    Box::new(OpenAiChat {
        name: "local".into(),
        endpoint,
        limit_name: LimitName::MaxTokens,
    })
}

fn claude(endpoint: Endpoint) -> Box<dyn Provider> {
    let server = "claude".into();
    Box::new(Anthropic { server, endpoint })
}

fn stream(events: &[Value]) -> Reply {
    let lines = events.iter().map(|event| format!("data: {event}\n\n"));
    Reply::stream(lines.collect())
}

fn words(text: &str) -> Value {
    json!({ "choices": [{ "delta": { "content": text } }] })
}

fn end(reason: &str) -> Value {
    json!({ "choices": [{ "delta": {}, "finish_reason": reason }] })
}

/// What came of a turn.
struct Came {
    end: Result<EndReason, TurnError>,
    shown: String,
    answer: String,
    asked: usize,
    /// How many commands ran.
    ran: usize,
}

fn turn(provider: fn(Endpoint) -> Box<dyn Provider>, replies: Vec<Reply>) -> Came {
    let server = Server::start(replies);
    let lab = Lab::new();
    let mut runtime = lab.runtime(Scripted::default());
    runtime.provider = provider(server.endpoint("", "authorization", format!("Bearer {KEY}")));
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let mut front = Front::new(ApprovalAnswer::Once);
    let end = runtime.turn(&mut session, "go", &mut front);
    let shown = front.events.iter().filter_map(|event| match event {
        TurnEvent::Text { delta } => Some(delta.as_str()),
        _ => None,
    });
    Came {
        end: end.map(|end| end.reason),
        shown: shown.collect(),
        answer: session.answer(),
        asked: server.asked().len(),
        ran: lab.machine.lock().unwrap().commands.len(),
    }
}

const ARGUMENTS: &str = r#"{"command":"rm a.txt"}"#;

fn chat_call() -> Value {
    let function = json!({ "name": "Bash", "arguments": ARGUMENTS });
    let call = json!({ "index": 0, "id": "c", "type": "function", "function": function });
    json!({ "choices": [{ "delta": { "content": "Half", "tool_calls": [call] } }] })
}

fn claude_call(reason: &str) -> Reply {
    let text = json!({ "type": "text", "text": "Half" });
    let call = json!({ "type": "tool_use", "id": "c", "name": "Bash", "input": {} });
    let delta = json!({ "type": "input_json_delta", "partial_json": ARGUMENTS });
    stream(&[
        json!({ "type": "message_start", "message": {} }),
        json!({ "type": "content_block_start", "index": 0, "content_block": text }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "content_block_start", "index": 1, "content_block": call }),
        json!({ "type": "content_block_delta", "index": 1, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 1 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": reason } }),
        json!({ "type": "message_stop" }),
    ])
}

#[test]
fn no_call_of_a_refused_answer_is_made() {
    for reason in ["content_filter", "content_filter: PROHIBITED_CONTENT"] {
        let refused = stream(&[chat_call(), end(reason)]);
        let came = turn(chat, vec![refused, stream(&[words("on"), end("stop")])]);
        assert_eq!(came.end.unwrap(), EndReason::Refused, "{reason}");
        assert_eq!((came.asked, came.ran), (1, 0), "{reason}");
    }
    let came = turn(claude, vec![claude_call("refusal")]);
    assert_eq!(came.end.unwrap(), EndReason::Refused);
    assert_eq!((came.asked, came.ran), (1, 0));
    assert_eq!(came.answer, "Half\n\n(refused by the model or its server)");
}

#[test]
fn what_ends_for_a_reason_that_nobody_knows_is_broken_off() {
    let reason = "insufficient_system_resource";
    let chat_half = stream(&[chat_call(), end(reason)]);
    for came in [
        turn(chat, vec![chat_half]),
        turn(claude, vec![claude_call(reason)]),
    ] {
        let error = came.end.unwrap_err();
        assert_eq!(error.kind(), "cut");
        assert!(error.to_string().contains(reason), "{error}");
        assert_eq!(
            came.answer,
            "Half\n\n(broken off: the model's server failed)"
        );
        assert_eq!((came.asked, came.ran), (1, 0));
    }
    // A piece whose reason is empty ends nothing.
    let came = turn(chat, vec![stream(&[words("Half"), end("")])]);
    assert_eq!(came.end.unwrap_err().kind(), "cut");
    let whole = stream(&[words("All."), end(""), end("end_turn")]);
    let came = turn(chat, vec![stream(&[chat_call(), end("tool_calls")]), whole]);
    assert_eq!(came.end.unwrap(), EndReason::Answered);
    assert_eq!(came.ran, 1);
}

#[test]
fn words_before_a_full_context_are_said_once() {
    let full = "Context size has been exceeded.";
    let full = json!({ "error": { "code": 500, "message": full, "type": "server_error" } });
    let again = || stream(&[words("Half"), full.clone()]);
    let came = turn(chat, vec![again(), again(), again()]);
    assert_eq!(came.end.unwrap_err().kind(), "failed");
    assert_eq!(came.asked, 1);
    assert_eq!(
        came.shown,
        "Half\n\n(broken off: the model's server failed)"
    );
    // Before them a shorter request may help, and so it may where the status says little.
    let answer = || stream(&[words("All."), end("stop")]);
    let refused = Reply::error(500, "", &full.to_string());
    for first in [stream(&[full]), refused] {
        let came = turn(chat, vec![first, answer()]);
        assert_eq!((came.answer.as_str(), came.asked), ("All.", 2));
    }
}

#[test]
fn an_error_behind_a_whole_answer_is_none_of_it() {
    let late = json!({ "error": { "message": "usage could not be computed" } });
    let came = turn(chat, vec![stream(&[words("All."), end("stop"), late])]);
    assert_eq!(came.end.unwrap(), EndReason::Answered);
    assert_eq!(came.shown, "All.");
}

#[test]
fn an_error_in_place_of_a_stream_is_told() {
    let body = json!({ "error": format!("Unexpected endpoint, with {KEY}") });
    let json = "content-type: application/json\r\n";
    let came = turn(chat, vec![Reply::error(200, json, &body.to_string())]);
    let error = came.end.unwrap_err().to_string();
    assert!(error.contains("Unexpected endpoint"), "{error}");
    assert!(!error.contains(KEY), "{error}");
}

#[test]
fn words_in_a_list_are_words() {
    let parts = json!([{ "type": "thinking", "thinking": [] }, { "type": "text", "text": "All." }]);
    let parts = json!({ "choices": [{ "delta": { "content": parts } }] });
    let came = turn(chat, vec![stream(&[parts, end("stop")])]);
    assert_eq!(
        (came.shown.as_str(), came.answer.as_str()),
        ("All.", "All.")
    );
}

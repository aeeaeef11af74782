//! What servers give for themselves alone, thinking and signatures: back to them, and to nobody
//! else.

use serde_json::{Value, json};
use skillyard_agent::front_end::{ApprovalAnswer, EndReason};
use skillyard_agent::message::{AssistantPart, Message};
use skillyard_agent::provider::Provider;
use skillyard_agent::provider::anthropic::Anthropic;
use skillyard_agent::provider::openai_chat::{LimitName, OpenAiChat};
use skillyard_agent::replay::replay;
use skillyard_agent::session::Session;
use skillyard_agent::settings::{AgentSettings, ToolMode};

use crate::lab::{Front, Lab};
use crate::server::{KEY, Reply, Server};

fn lab() -> Lab {
    let lab = Lab::new();
    lab.skill("a", "Does a. Use for a.", "", "Do a.");
    lab
}

/// A stream of these events.
fn stream(events: &[Value]) -> Reply {
    let lines = events.iter().map(|event| format!("data: {event}\n\n"));
    Reply::stream(lines.collect())
}

/// A chunk of Chat Completions.
fn chunk(delta: &Value, reason: &Value) -> Value {
    json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] })
}

fn chat_says(text: &str) -> Reply {
    stream(&[chunk(&json!({ "content": text }), &json!("stop"))])
}

/// Thinks under this name, and then makes two calls at once, the first of which is signed.
fn chat_calls(name: &str) -> Reply {
    let signed = json!({ "google": { "thought_signature": "SIG" } });
    let call = |at: u64, extra: &Value| {
        let mut call = json!({ "index": at, "id": format!("c{at}"), "type": "function", "function": { "name": "skill_load", "arguments": "{\"name\":\"a\"}" } });
        if !extra.is_null() {
            call["extra_content"] = extra.clone();
        }
        json!({ "tool_calls": [call] })
    };
    stream(&[
        chunk(&json!({ "role": "assistant", name: "" }), &Value::Null),
        chunk(&json!({ name: "I should " }), &Value::Null),
        chunk(&json!({ name: "look" }), &Value::Null),
        chunk(&call(0, &signed), &Value::Null),
        chunk(&call(1, &Value::Null), &Value::Null),
        chunk(&json!({}), &json!("tool_calls")),
    ])
}

fn chat(name: &str, server: &Server) -> OpenAiChat {
    OpenAiChat {
        name: name.into(),
        endpoint: server.endpoint("", "authorization", format!("Bearer {KEY}")),
        limit_name: LimitName::MaxTokens,
    }
}

fn anthropic(name: &str, server: &Server) -> Anthropic {
    Anthropic {
        server: name.into(),
        endpoint: server.endpoint("", "x-api-key", KEY.into()),
    }
}

/// Says hello to a model, which has or takes over the session; gives the last request.
fn say(
    lab: &Lab,
    session: &mut Option<Session>,
    model: &str,
    provider: impl Provider + 'static,
    server: &Server,
) -> Value {
    let mut runtime = lab.runtime(provider);
    let settings = AgentSettings {
        model: model.into(),
        tool_mode: ToolMode::Native,
        ..AgentSettings::default()
    };
    let session = session.get_or_insert_with(|| lab.session(&runtime, &settings));
    session.change_model(model, ToolMode::Native, None);
    let end = runtime.turn(session, "hello", &mut Front::new(ApprovalAnswer::No));
    end.unwrap();
    server.asked().last().unwrap().body.clone()
}

#[test]
fn thinking_and_signatures_of_chat_completions_go_back_to_their_server() {
    for name in ["reasoning_content", "reasoning"] {
        let lab = lab();
        let mut session = None;
        let server = Server::start(vec![chat_calls(name), chat_says("done")]);
        let last = say(&lab, &mut session, "d/one", chat("d", &server), &server);
        let called = &last["messages"][2];
        assert_eq!(called[name], "I should look");
        let calls = &called["tool_calls"];
        assert_eq!(
            calls[0]["extra_content"]["google"]["thought_signature"],
            "SIG"
        );
        assert_eq!(calls[1].get("extra_content"), None);
        assert_eq!(last["messages"][3]["role"], "tool");
        // In every later turn, too.
        let mut turn = |model: &str| {
            let server = Server::start(vec![chat_says("yes")]);
            let (name, _) = model.split_once('/').unwrap();
            let last = say(&lab, &mut session, model, chat(name, &server), &server);
            last["messages"][2].clone()
        };
        assert_eq!(turn("d/one"), *called);
        // Another model of the server is not given what was signed for the first.
        let other = turn("d/two");
        assert_eq!(other[name], "I should look");
        assert_eq!(other["tool_calls"][0].get("extra_content"), None);
        // Another server is given nothing of it.
        let other = turn("e/one");
        assert_eq!(other.get(name), None);
        assert_eq!(other["tool_calls"][0].get("extra_content"), None);
        assert_eq!(turn("d/one"), *called);
    }
}

#[test]
fn thinking_in_blocks_goes_back_as_a_whole() {
    let lab = lab();
    let mut session = None;
    let piece = |piece: Value| {
        let mut delta = json!({ "reasoning": "Let me", "reasoning_details": [piece] });
        delta["reasoning_details"][0]["index"] = json!(0);
        chunk(&delta, &Value::Null)
    };
    let call = json!({ "tool_calls": [{ "index": 0, "id": "c0", "function": { "name": "skill_load", "arguments": "{\"name\":\"a\"}" } }] });
    let calls = stream(&[
        piece(json!({ "type": "reasoning.text", "text": "Let me" })),
        piece(json!({ "type": "reasoning.text", "signature": "SIG" })),
        chunk(&call, &json!("tool_calls")),
    ]);
    let server = Server::start(vec![calls, chat_says("done")]);
    let last = say(&lab, &mut session, "o/g/one", chat("o", &server), &server);
    let called = &last["messages"][2];
    let expected =
        json!([{ "type": "reasoning.text", "text": "Let me", "signature": "SIG", "index": 0 }]);
    assert_eq!(called["reasoning_details"], expected);
    assert_eq!(called.get("reasoning"), None);
    let server = Server::start(vec![chat_says("yes")]);
    let last = say(&lab, &mut session, "o/g/two", chat("o", &server), &server);
    let called = &last["messages"][2];
    assert_eq!(called.get("reasoning_details"), None);
    assert_eq!(called["reasoning"], "Let meLet me");
}

#[test]
fn a_server_that_insists_on_thinking_goes_on_with_the_session_of_another() {
    let lab = lab();
    let mut session = None;
    let first = Server::start(vec![chat_calls("thoughts"), chat_says("done")]);
    say(&lab, &mut session, "e/one", chat("e", &first), &first);
    let refused = json!({ "error": { "message": "The `reasoning_content` in the thinking mode must be passed back to the API." } });
    let refused = Reply::error(400, "", &refused.to_string());
    let server = Server::start(vec![refused, chat_says("yes")]);
    let last = say(&lab, &mut session, "d/one", chat("d", &server), &server);
    assert_eq!(server.asked().len(), 2);
    assert_eq!(
        server.asked()[0].body["messages"][2].get("reasoning_content"),
        None
    );
    assert_eq!(last["messages"][2]["reasoning_content"], " ");
    assert_eq!(last["messages"][2]["tool_calls"][0]["id"], "c0");
}

#[test]
fn a_server_that_refuses_its_own_thinking_is_not_sent_it() {
    let lab = lab();
    let mut session = None;
    let refused = r#"{"error":{"message":"property 'reasoning' is unsupported"}}"#;
    let server = Server::start(vec![
        chat_calls("reasoning"),
        Reply::error(400, "", refused),
        chat_says("done"),
    ]);
    let last = say(&lab, &mut session, "g/one", chat("g", &server), &server);
    assert_eq!(last["messages"][2].get("reasoning"), None);
    assert!(last["messages"][2]["tool_calls"][0]["extra_content"].is_object());
}

/// Thinks with this signature, and then calls or says something.
fn anthropic_thinks(signature: &str, block: &Value, stop: &str) -> Reply {
    let thinking =
        |delta: Value| json!({ "type": "content_block_delta", "index": 0, "delta": delta });
    let mut events = vec![
        json!({ "type": "message_start", "message": { "usage": { "input_tokens": 7 } } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "thinking", "thinking": "", "signature": "" } }),
        thinking(json!({ "type": "thinking_delta", "thinking": "hm" })),
    ];
    if !signature.is_empty() {
        events.push(thinking(
            json!({ "type": "signature_delta", "signature": signature }),
        ));
    }
    events.push(json!({ "type": "content_block_stop", "index": 0 }));
    if !block.is_null() {
        events.push(json!({ "type": "content_block_start", "index": 1, "content_block": block }));
        events.push(json!({ "type": "content_block_stop", "index": 1 }));
    }
    events.push(json!({ "type": "message_delta", "delta": { "stop_reason": stop } }));
    events.push(json!({ "type": "message_stop" }));
    stream(&events)
}

/// Says something to a model of an Anthropic server; the last request.
fn ask_anthropic(lab: &Lab, session: &mut Option<Session>, model: &str, server: &Server) -> Value {
    let (name, _) = model.split_once('/').unwrap();
    say(lab, session, model, anthropic(name, server), server)
}

fn load() -> Value {
    json!({ "type": "tool_use", "id": "t0", "name": "skill_load", "input": { "name": "a" } })
}

fn text() -> Value {
    json!({ "type": "text", "text": "yes" })
}

#[test]
fn signed_thinking_goes_back_to_the_model_that_thought_and_to_nobody_else() {
    let lab = lab();
    let mut session = None;
    let server = Server::start(vec![
        anthropic_thinks("SIG", &load(), "tool_use"),
        anthropic_thinks("SIG2", &text(), "end_turn"),
    ]);
    let last = ask_anthropic(&lab, &mut session, "a/one", &server);
    let thought = json!({ "type": "thinking", "thinking": "hm", "signature": "SIG" });
    assert_eq!(last["messages"][1]["content"][0], thought);
    for (model, is_sent) in [("b/one", false), ("a/two", false), ("a/one", true)] {
        let server = Server::start(vec![anthropic_thinks("SIG3", &text(), "end_turn")]);
        let last = ask_anthropic(&lab, &mut session, model, &server);
        let sent = last.to_string();
        assert_eq!(sent.contains("SIG"), is_sent, "{model}: {sent}");
        assert_eq!(last["messages"][1]["content"][usize::from(is_sent)], load());
    }
}

#[test]
fn thinking_without_a_signature_is_not_kept() {
    for (block, stop) in [(Value::Null, "max_tokens"), (load(), "tool_use")] {
        let lab = lab();
        let mut session = None;
        let mut replies = vec![anthropic_thinks("", &block, stop)];
        if !block.is_null() {
            replies.push(anthropic_thinks("SIG", &text(), "end_turn"));
        }
        let server = Server::start(replies);
        ask_anthropic(&lab, &mut session, "a/one", &server);
        let server = Server::start(vec![anthropic_thinks("", &text(), "end_turn")]);
        let last = ask_anthropic(&lab, &mut session, "a/one", &server);
        assert!(!last.to_string().contains(r#""signature":"""#), "{last}");
    }
}

#[test]
fn sessions_of_older_builds_go_on_and_are_the_same_again() {
    let lab = lab();
    let mut session = None;
    let server = Server::start(vec![anthropic_thinks("SIG", &text(), "end_turn")]);
    ask_anthropic(&lab, &mut session, "a/one", &server);
    let mut session = session.unwrap();
    // As they were written before: in the name of the protocol, whichever server it was.
    let Some(Message::Assistant { parts }) = session.messages.last_mut() else {
        panic!("no answer");
    };
    for part in parts {
        if let AssistantPart::Opaque { provider, .. } = part {
            "anthropic".clone_into(provider);
        }
    }
    let server = Server::start(vec![anthropic_thinks("SIG2", &text(), "end_turn")]);
    let mut runtime = lab.runtime(anthropic("a", &server));
    let end = runtime.turn(&mut session, "again", &mut Front::new(ApprovalAnswer::No));
    assert_eq!(end.unwrap().reason, EndReason::Answered);
    let last = server.asked().last().unwrap().body.to_string();
    assert!(!last.contains("SIG"), "{last}");
    replay(&session, &mut lab.shelf(), lab.recorded(&[&session.id])).unwrap();
}

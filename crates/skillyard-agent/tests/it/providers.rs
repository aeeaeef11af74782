//! The secret words, for each protocol: a word of a skill's body and one of its files reach the
//! model only after their tier was loaded.

use serde_json::{Value, json};
use skillyard_agent::front_end::{ApprovalAnswer, EndReason};
use skillyard_agent::provider::Provider;
use skillyard_agent::provider::anthropic::Anthropic;
use skillyard_agent::provider::openai_chat::{LimitName, OpenAiChat};
use skillyard_agent::provider::openai_responses::OpenAiResponses;
use skillyard_agent::session::Session;
use skillyard_agent::settings::AgentSettings;

use crate::lab::{Front, Lab};
use crate::server::{Asked, KEY, Reply, Server};

const BODY_WORD: &str = "quixotic-badger";
const FILE_WORD: &str = "umbral-lantern";

fn lab() -> Lab {
    let lab = Lab::new();
    let body = format!("The first word is {BODY_WORD}. The second is in `references/second.md`.");
    lab.skill(
        "secrets",
        "Knows secret words. Use when asked for words.",
        "",
        &body,
    );
    lab.write(
        "skills/secrets/references/second.md",
        &format!("The second word is {FILE_WORD} ä€.\n"),
    );
    lab.skill(
        "other",
        "Does something else entirely.",
        "",
        "Nothing here.",
    );
    lab
}

/// Runs the turn against the server and checks where the words were.
fn check(server: &Server, provider: impl Provider + 'static) -> (Session, Vec<Asked>) {
    let lab = lab();
    let mut runtime = lab.runtime(provider);
    let settings = AgentSettings {
        model: "test/model-1".into(),
        ..AgentSettings::default()
    };
    let mut session = lab.session(&runtime, &settings);
    let mut front = Front::new(ApprovalAnswer::No);
    let end = runtime.turn(&mut session, "Which words are secret?", &mut front);
    let end = end.unwrap();
    assert_eq!(end.reason, EndReason::Answered);
    assert_eq!((end.usage.input, end.usage.cached), (330, 60));
    assert_eq!(session.answer(), "Both words, said in ä€ pieces.");
    let asked = server.asked();
    let has = |at: usize, word: &str| asked[at].body.to_string().contains(word);
    let seen: Vec<(bool, bool)> = (0..asked.len())
        .map(|at| (has(at, BODY_WORD), has(at, FILE_WORD)))
        .collect();
    assert_eq!(seen, [(false, false), (true, false), (true, true)]);
    // The catalog is there from the start, and stays the same to the byte.
    assert!(asked[0].body.to_string().contains("Knows secret words."));
    assert!(asked[0].body.to_string().contains("skill_load"));
    for request in &asked {
        assert!(request.headers.contains(KEY), "the key is sent");
        assert!(!request.body.to_string().contains(KEY));
    }
    (session, asked)
}

fn sse(events: &[Value]) -> String {
    let lines = events.iter().map(|event| {
        let kind = event["type"].as_str().unwrap_or_default();
        format!(": ping\nevent: {kind}\r\ndata: {event}\r\n\r\n")
    });
    lines.collect()
}

const LOAD: (&str, &str) = ("call_load", r#"{"name":"secrets"}"#);
const READ: (&str, &str) = (
    "call_read",
    r#"{"name":"secrets","path":"references/second.md"}"#,
);

fn halves(text: &str) -> [&str; 2] {
    let (first, second) = text.split_at(text.len() / 2);
    [first, second]
}

#[test]
fn anthropic_messages() {
    let usage = json!({ "input_tokens": 80, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 20, "output_tokens": 1 });
    let start = json!({ "type": "message_start", "message": { "id": "m", "type": "message", "role": "assistant", "content": [], "usage": usage } });
    let end = |reason: &str| {
        [
            json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 9 } }),
            json!({ "type": "message_stop" }),
        ]
    };
    let call = |(id, arguments): (&str, &str), name: &str| {
        let [first, second] = halves(arguments);
        let delta = |piece| json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "input_json_delta", "partial_json": piece } });
        let mut events = vec![
            start.clone(),
            json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "thinking", "thinking": "", "signature": "" } }),
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "thinking_delta", "thinking": "hm" } }),
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "signature_delta", "signature": "sig" } }),
            json!({ "type": "content_block_stop", "index": 0 }),
            json!({ "type": "something_new", "index": 0 }),
            json!({ "type": "content_block_start", "index": 1, "content_block": { "type": "tool_use", "id": id, "name": name, "input": {} } }),
            delta(first),
            delta(second),
            json!({ "type": "content_block_stop", "index": 1 }),
        ];
        events.extend(end("tool_use"));
        Reply::stream(sse(&events))
    };
    let mut text = vec![
        start.clone(),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "Both words, said " } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "in ä€ pieces." } }),
        json!({ "type": "content_block_stop", "index": 0 }),
    ];
    text.extend(end("end_turn"));
    let server = Server::start(vec![
        call(LOAD, "skill_load"),
        call(READ, "skill_read"),
        Reply::stream(sse(&text)),
    ]);
    let endpoint = server.endpoint("", "x-api-key", KEY.into());
    let (_, asked) = check(
        &server,
        Anthropic {
            server: "claude".into(),
            endpoint,
        },
    );
    assert!(asked[0].line.starts_with("POST /v1/messages "));
    let prefix = |at: usize| (&asked[at].body["system"], &asked[at].body["tools"]);
    assert_eq!(prefix(0), prefix(2));
    assert_eq!(
        asked[0].body["system"][0]["cache_control"]["type"],
        "ephemeral"
    );
    let last = &asked[2].body;
    assert_eq!(last["max_tokens"], 8192);
    let roles: Vec<&str> = last["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|each| each["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant", "user"]);
    // Thinking goes back as it came, in front of its call; the result names the call.
    let assistant = &last["messages"][1]["content"];
    assert_eq!(
        assistant[0],
        json!({ "type": "thinking", "thinking": "hm", "signature": "sig" })
    );
    assert_eq!(
        assistant[1],
        json!({ "type": "tool_use", "id": "call_load", "name": "skill_load", "input": { "name": "secrets" } })
    );
    let result = &last["messages"][2]["content"][0];
    assert_eq!(result["type"], "tool_result");
    assert_eq!(result["tool_use_id"], "call_load");
    assert_eq!(result["is_error"], false);
}

#[test]
fn openai_chat_completions() {
    let chunk = |delta: Value, reason: Value| json!({ "id": "c", "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }], "usage": null });
    let usage = json!({ "id": "c", "object": "chat.completion.chunk", "choices": [], "usage": { "prompt_tokens": 110, "completion_tokens": 9, "prompt_tokens_details": { "cached_tokens": 20 } } });
    let stream = |events: &[Value]| {
        let lines: Vec<String> = events
            .iter()
            .map(|event| format!("data: {event}\n\n"))
            .collect();
        Reply::stream(lines.concat() + "data: [DONE]\n\n")
    };
    let call = |(id, arguments): (&str, &str), name: &str| {
        let [first, second] = halves(arguments);
        stream(&[
            chunk(json!({ "role": "assistant", "content": null }), Value::Null),
            chunk(
                json!({ "tool_calls": [{ "index": 0, "id": id, "type": "function", "function": { "name": name, "arguments": "" } }] }),
                Value::Null,
            ),
            chunk(
                json!({ "tool_calls": [{ "index": 0, "function": { "arguments": first } }] }),
                Value::Null,
            ),
            chunk(
                json!({ "tool_calls": [{ "index": 0, "function": { "arguments": second } }] }),
                Value::Null,
            ),
            chunk(json!({}), json!("tool_calls")),
            usage.clone(),
        ])
    };
    let text = stream(&[
        chunk(json!({ "content": "Both words, said " }), Value::Null),
        chunk(json!({ "content": "in ä€ pieces." }), Value::Null),
        chunk(json!({}), json!("stop")),
        usage.clone(),
    ]);
    let server = Server::start(vec![
        call(LOAD, "skill_load"),
        call(READ, "skill_read"),
        text,
    ]);
    let endpoint = server.endpoint("/v1", "authorization", format!("Bearer {KEY}"));
    let provider = OpenAiChat {
        name: "local".into(),
        endpoint,
        limit_name: LimitName::MaxTokens,
    };
    let (_, asked) = check(&server, provider);
    assert!(asked[0].line.starts_with("POST /v1/chat/completions "));
    assert_eq!(asked[0].body["tools"], asked[2].body["tools"]);
    assert_eq!(asked[0].body["stream_options"]["include_usage"], true);
    let messages = &asked[2].body["messages"];
    assert_eq!(messages[0]["role"], "system");
    let call = json!({ "id": "call_load", "type": "function", "function": { "name": "skill_load", "arguments": LOAD.1 } });
    assert_eq!(messages[2]["tool_calls"], json!([call]));
    assert_eq!(messages[2]["content"], Value::Null);
    assert_eq!(messages[3]["role"], "tool");
    assert_eq!(messages[3]["tool_call_id"], "call_load");
}

#[test]
fn openai_responses() {
    let completed = json!({ "type": "response.completed", "response": { "status": "completed", "usage": { "input_tokens": 110, "input_tokens_details": { "cached_tokens": 20 }, "output_tokens": 9 } } });
    let call = |(id, arguments): (&str, &str), name: &str| {
        let [first, second] = halves(arguments);
        let item = |arguments: &str| json!({ "type": "function_call", "id": "fc_1", "call_id": id, "name": name, "arguments": arguments });
        Reply::stream(sse(&[
            json!({ "type": "response.created", "response": {} }),
            json!({ "type": "response.output_item.added", "output_index": 0, "item": item("") }),
            json!({ "type": "response.function_call_arguments.delta", "item_id": "fc_1", "delta": first }),
            json!({ "type": "response.function_call_arguments.delta", "item_id": "fc_1", "delta": second }),
            json!({ "type": "response.output_item.done", "output_index": 0, "item": item(arguments) }),
            completed.clone(),
        ]))
    };
    let text = Reply::stream(sse(&[
        json!({ "type": "response.output_text.delta", "item_id": "m", "delta": "Both words, said " }),
        json!({ "type": "response.output_text.delta", "item_id": "m", "delta": "in ä€ pieces." }),
        completed.clone(),
    ]));
    let server = Server::start(vec![
        call(LOAD, "skill_load"),
        call(READ, "skill_read"),
        text,
    ]);
    let endpoint = server.endpoint("/v1", "authorization", format!("Bearer {KEY}"));
    let provider = OpenAiResponses {
        name: "openai".into(),
        endpoint,
    };
    let (_, asked) = check(&server, provider);
    assert!(asked[0].line.starts_with("POST /v1/responses "));
    assert_eq!(asked[0].body["instructions"], asked[2].body["instructions"]);
    assert_eq!(asked[0].body["store"], false);
    let input = &asked[2].body["input"];
    // Of the two names of a call the right one goes back.
    assert_eq!(
        input[1],
        json!({ "type": "function_call", "call_id": "call_load", "name": "skill_load", "arguments": LOAD.1 })
    );
    assert_eq!(input[2]["type"], "function_call_output");
    assert_eq!(input[2]["call_id"], "call_load");
}

#[test]
fn anthropic_inputs_that_come_with_the_start_of_their_call() {
    let usage = json!({ "input_tokens": 90, "cache_read_input_tokens": 20, "output_tokens": 1 });
    let reply = |blocks: &[Value]| {
        let mut events = vec![json!({ "type": "message_start", "message": { "usage": usage } })];
        events.extend_from_slice(blocks);
        events.push(json!({ "type": "message_delta", "delta": {}, "usage": {} }));
        events.push(json!({ "type": "message_stop" }));
        Reply::stream(sse(&events))
    };
    let start = |(id, arguments): (&str, &str), name: &str| {
        let input: Value = serde_json::from_str(arguments).unwrap();
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "tool_use", "id": id, "name": name, "input": input } })
    };
    let piece = |text: &str| json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "input_json_delta", "partial_json": text } });
    let stop = json!({ "type": "content_block_stop", "index": 0 });
    let words = "Both words, said in ä€ pieces.";
    let text = json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": words } });
    let server = Server::start(vec![
        reply(&[start(LOAD, "skill_load"), piece(""), stop.clone()]),
        // In pieces too, which are not put behind it.
        reply(&[start(READ, "skill_read"), piece(READ.1), stop]),
        reply(&[text]),
    ]);
    let endpoint = server.endpoint("", "x-api-key", KEY.into());
    check(
        &server,
        Anthropic {
            server: "claude".into(),
            endpoint,
        },
    );
}

#[test]
fn openai_calls_that_come_as_a_whole() {
    let completed = json!({ "type": "response.completed", "response": { "usage": { "input_tokens": 110, "input_tokens_details": { "cached_tokens": 20 }, "output_tokens": 9 } } });
    let done = |item: &str, (id, arguments): (&str, &str), name: &str| json!({ "type": "response.output_item.done", "item": { "type": "function_call", "id": item, "call_id": id, "name": name, "arguments": arguments } });
    let added = json!({ "type": "response.output_item.added", "item": { "type": "function_call", "id": "fc_1", "call_id": READ.0, "name": "skill_read", "arguments": "" } });
    let words = "Both words, said in ä€ pieces.";
    let text = json!({ "type": "response.output_text.delta", "item_id": "m", "delta": words });
    let server = Server::start(vec![
        Reply::stream(sse(&[done("fc_0", LOAD, "skill_load"), completed.clone()])),
        // Announced under another id of the item: it is one call all the same.
        Reply::stream(sse(&[
            added,
            done("fc_2", READ, "skill_read"),
            completed.clone(),
        ])),
        Reply::stream(sse(&[text, completed])),
    ]);
    let endpoint = server.endpoint("/v1", "authorization", format!("Bearer {KEY}"));
    let name = "openai".into();
    let (session, _) = check(&server, OpenAiResponses { name, endpoint });
    let calls = session.messages.iter().map(|each| each.calls().len());
    assert_eq!(calls.sum::<usize>(), 2);
}

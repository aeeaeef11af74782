//! Servers that are strict about how a session looks that was interrupted, or that others had.

use serde_json::{Value, json};
use skillyard_agent::front_end::ApprovalAnswer;
use skillyard_agent::message::{AssistantPart, Message, ToolCall};
use skillyard_agent::provider::Provider;
use skillyard_agent::provider::openai_chat::{LimitName, OpenAiChat};
use skillyard_agent::provider::openai_responses::OpenAiResponses;
use skillyard_agent::settings::AgentSettings;

use crate::lab::{Front, Lab, Scripted, calls};
use crate::server::{Asked, KEY, Reply, Server};

fn chat(server: &Server) -> OpenAiChat {
    OpenAiChat {
        name: "strict".into(),
        endpoint: server.endpoint("", "authorization", KEY.into()),
        limit_name: LimitName::MaxTokens,
    }
}

fn stream(event: &Value) -> Reply {
    Reply::stream(format!("data: {event}\n\n"))
}

fn chat_says(text: &str) -> Reply {
    stream(&json!({ "choices": [{ "delta": { "content": text }, "finish_reason": "stop" }] }))
}

fn chat_calls(id: &str) -> Reply {
    let function = json!({ "name": "Glob", "arguments": r#"{"pattern":"*"}"# });
    let call = json!({ "index": 0, "id": id, "type": "function", "function": function });
    stream(
        &json!({ "choices": [{ "delta": { "tool_calls": [call] }, "finish_reason": "tool_calls" }] }),
    )
}

/// The messages of a request, without what a prompt says before them.
fn messages(asked: &Asked) -> Vec<&Value> {
    let messages = asked.body["messages"].as_array().unwrap().iter();
    messages.filter(|each| each["role"] != "system").collect()
}

#[test]
fn roles_take_turns_after_a_failure_behind_a_call() {
    let lab = Lab::new();
    let server = Server::start(vec![
        chat_calls("c"),
        Reply::error(401, "", "bad key"),
        chat_says("All."),
    ]);
    let mut runtime = lab.runtime(chat(&server));
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let mut front = Front::new(ApprovalAnswer::No);
    assert!(runtime.turn(&mut session, "one", &mut front).is_err());
    runtime.turn(&mut session, "two", &mut front).unwrap();
    let asked = server.asked();
    let last = messages(asked.last().unwrap());
    let roles: Vec<&str> = last.iter().filter_map(|it| it["role"].as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant", "user"]);
    assert_eq!(last[3]["content"], "(no answer: the turn ended here)");
}

/// Goes on at a server that refuses the ids of another; what it was asked.
fn handed_over(
    id: &str,
    replies: Vec<Reply>,
    with: fn(&Server) -> Box<dyn Provider>,
) -> Vec<Asked> {
    let lab = Lab::new();
    let call = calls(id, "Glob", &json!({ "pattern": "*" }));
    let mut runtime = lab.runtime(Scripted::new([vec![call]]));
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let mut front = Front::new(ApprovalAnswer::No);
    runtime.turn(&mut session, "one", &mut front).unwrap();
    let server = Server::start(replies);
    runtime.provider = with(&server);
    runtime.turn(&mut session, "two", &mut front).unwrap();
    let is_kept = |part: &AssistantPart| matches!(part, AssistantPart::Call(ToolCall { id: kept, .. }) if kept == id);
    let is_there = |message: &Message| matches!(message, Message::Assistant { parts } if parts.iter().any(is_kept));
    assert!(session.messages.iter().any(is_there), "it stays as it was");
    server.asked()
}

#[test]
fn ids_that_a_server_refuses_are_shortened() {
    let refusal = "Tool call id was call_5_0 but must be a-z, A-Z, 0-9, with a length of 9.";
    let refusal = json!({ "object": "error", "message": refusal }).to_string();
    let replies = vec![Reply::error(400, "", &refusal), chat_says("All.")];
    let asked = handed_over("call_5_0", replies, |server| Box::new(chat(server)));
    assert_eq!(messages(&asked[0])[2]["tool_call_id"], "call_5_0");
    let messages = messages(&asked[1]);
    let id = messages[1]["tool_calls"][0]["id"].as_str().unwrap();
    assert_eq!(messages[2]["tool_call_id"], id);
    assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()));

    let refusal =
        "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64";
    let refusal = json!({ "error": { "message": refusal } }).to_string();
    let output =
        json!([{ "type": "message", "content": [{ "type": "output_text", "text": "All." }] }]);
    let done = json!({ "type": "response.completed", "response": { "output": output } });
    let replies = vec![Reply::error(400, "", &refusal), stream(&done)];
    let asked = handed_over(&"x".repeat(305), replies, |server| {
        let endpoint = server.endpoint("", "authorization", KEY.into());
        let name = "openai".into();
        Box::new(OpenAiResponses { name, endpoint })
    });
    let input = &asked[1].body["input"];
    let id = input[1]["call_id"].as_str().unwrap();
    assert_eq!((id.len(), &input[2]["call_id"]), (9, &json!(id)));
}

#[test]
fn ids_that_a_server_takes_stay_as_they_are() {
    let id = "functions.Glob:0";
    let refusal = json!({ "error": { "message": "no such model" } }).to_string();
    let server = Server::start(vec![chat_calls(id), Reply::error(400, "", &refusal)]);
    let lab = Lab::new();
    let mut runtime = lab.runtime(chat(&server));
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let end = runtime.turn(&mut session, "one", &mut Front::new(ApprovalAnswer::No));
    assert!(end.is_err());
    let asked = server.asked();
    assert_eq!(
        asked.len(),
        2,
        "a refusal of something else is not repeated"
    );
    assert_eq!(messages(&asked[1])[2]["tool_call_id"], id);
}

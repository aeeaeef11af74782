//! Answers over HTTP that come in pieces, late, or for nobody.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use serde_json::{Map, Value, json};
use skillyard_agent::mcp_client::{McpError, Servers};

use crate::stage::{call, serving};

/// What a server was told, and the result that waits behind an event.
#[derive(Default)]
struct Heard {
    messages: Vec<Value>,
    taken_up: Vec<String>,
    result: Option<Value>,
}

type Shared = Arc<Mutex<Heard>>;

fn stream(text: String) -> Response {
    ([("content-type", "text/event-stream")], text).into_response()
}

/// Answers requests; the tool `slow` ends its stream before there is a result, `mute` never answers.
async fn asked(State(heard): State<Shared>, body: Bytes) -> Response {
    let message: Value = serde_json::from_slice(&body).unwrap();
    heard.lock().unwrap().messages.push(message.clone());
    let answer = |result: Value| json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
    match message["method"].as_str().unwrap_or_default() {
        "initialize" => {
            let hello = axum::Json(answer(json!({
                "protocolVersion": "2025-11-25",
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "x", "version": "1" },
            })));
            ([("mcp-session-id", "s1")], hello).into_response()
        }
        "tools/list" => {
            let tools =
                ["slow", "mute", "lost", "ping", "odd", "gone"].map(|name| json!({ "name": name }));
            axum::Json(answer(json!({ "tools": tools }))).into_response()
        }
        "tools/call" => match message["params"]["name"].as_str().unwrap_or_default() {
            "mute" => std::future::pending().await,
            "lost" => stream("data: \n\n".into()),
            "ping" => {
                let text = json!([{ "type": "text", "text": "alive" }]);
                let answer = answer(json!({ "content": text }));
                stream(format!("event: ping\ndata: ping\n\ndata: {answer}\n\n"))
            }
            "odd" => stream("data: {\"half\n\n".into()),
            // As the official SDK for TypeScript answers in a session that it does not know.
            "gone" => {
                let error = json!({ "code": -32001, "message": "Session not found" });
                let error = json!({ "jsonrpc": "2.0", "id": message["id"], "error": error });
                (axum::http::StatusCode::NOT_FOUND, axum::Json(error)).into_response()
            }
            _ => {
                let text = json!([{ "type": "text", "text": "late, but there" }]);
                heard.lock().unwrap().result = Some(answer(json!({ "content": text })));
                stream("id: ev1\nretry: 150\ndata: \n\n".into())
            }
        },
        "server/discover" => {
            let error = json!({ "code": -32601, "message": "no" });
            axum::Json(json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }))
                .into_response()
        }
        _ => axum::http::StatusCode::ACCEPTED.into_response(),
    }
}

/// Takes up the stream of the tool `slow`, the first time without having more to say.
async fn taken_up(State(heard): State<Shared>, headers: HeaderMap) -> Response {
    let Some(last) = headers.get("last-event-id") else {
        return axum::http::StatusCode::METHOD_NOT_ALLOWED.into_response();
    };
    let mut heard = heard.lock().unwrap();
    heard.taken_up.push(last.to_str().unwrap().to_owned());
    match heard.result.clone().filter(|_| heard.taken_up.len() > 1) {
        Some(result) => stream(format!("id: ev3\ndata: {result}\n\n")),
        None => stream("id: ev2\nretry: 100\n\n".into()),
    }
}

/// A server of these answers.
fn server() -> (Servers, Shared) {
    let heard = Shared::default();
    let router = Router::new().route("/mcp", post(asked).get(taken_up));
    let spec = serving(router.with_state(Arc::clone(&heard)), &[]);
    (Servers::new(vec![spec]), heard)
}

#[test]
fn a_stream_that_ends_early_is_taken_up() {
    let (servers, heard) = server();
    let answer = call(&servers, "slow", "").unwrap();
    assert_eq!(answer.result.text, "late, but there");
    assert_eq!(heard.lock().unwrap().taken_up, ["ev1", "ev2"]);
    // Without a name of an event there is nothing to take up.
    assert!(matches!(
        call(&servers, "lost", ""),
        Err(McpError::Closed { .. })
    ));
}

#[test]
fn what_is_no_message_in_a_stream_is_passed_over() {
    let (servers, _) = server();
    assert_eq!(call(&servers, "ping", "").unwrap().result.text, "alive");
    let odd = call(&servers, "odd", "").unwrap_err().to_string();
    assert_eq!(odd, "the server does not speak MCP: a message is not JSON");
}

#[test]
fn a_session_that_is_gone_is_begun_anew() {
    let (servers, heard) = server();
    let gone = call(&servers, "gone", "").unwrap_err();
    assert!(
        matches!(gone, McpError::Status { status: 404, .. }),
        "{gone}"
    );
    assert!(call(&servers, "ping", "").is_ok());
    let messages = heard.lock().unwrap().messages.clone();
    let begun = messages
        .iter()
        .filter(|each| each["method"] == "initialize");
    assert_eq!(begun.count(), 2);
}

#[test]
fn a_server_is_told_that_nobody_waits_any_more() {
    let (servers, heard) = server();
    assert!(call(&servers, "lost", "").is_err());
    let cancel = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&cancel);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        stop.store(true, Ordering::Relaxed);
    });
    let stopped = servers.call("mcp__s__mute", &Map::new(), Map::new(), &cancel);
    assert!(matches!(stopped, Err(McpError::Cancelled)));
    let start = Instant::now();
    loop {
        let messages = heard.lock().unwrap().messages.clone();
        let called = messages.iter().rfind(|each| each["method"] == "tools/call");
        let told = messages.iter();
        let mut told = told.filter(|each| each["method"] == "notifications/cancelled");
        if told.any(|each| each["params"]["requestId"] == called.unwrap()["id"]) {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{messages:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

//! Sessions of the older protocol, opened by somebody who does not stop.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Legacy, Messages};
use crate::context::{ADMIN, Answer, READ, RUN, TestServer};

const VERSION: &str = "2025-11-25";
/// How many one token may have.
const MOST: usize = 128;

async fn opened<'a>(server: &'a TestServer, token: &str) -> Result<Legacy<'a>, Answer> {
    let opened = Legacy::try_open(server, VERSION, token, &json!({})).await;
    opened.map(|(client, _)| client)
}

fn list() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" })
}

#[tokio::test]
async fn whoever_opens_too_many_loses_their_oldest_and_nobody_elses() {
    let server = TestServer::with_tokens();
    let other = opened(&server, RUN).await.ok().unwrap();
    let mut clients = Vec::new();
    for _ in 0..MOST + 20 {
        clients.push(opened(&server, READ).await.ok().unwrap());
    }
    for (number, client) in clients.iter().enumerate() {
        let expected = if number < 20 { 404 } else { 200 };
        let answer = client.send(&list()).await;
        assert_eq!(answer.status, expected, "{number}: {}", answer.text);
    }
    assert_eq!(other.send(&list()).await.status, 200);
}

#[tokio::test]
async fn what_is_being_used_stays_and_then_there_is_no_room() {
    let server = TestServer::with_tokens();
    let mut streams: Vec<Messages> = Vec::new();
    let first = opened(&server, READ).await.ok().unwrap();
    streams.push(first.follow("GET", &json!({})).await);
    for _ in 0..MOST + 20 {
        assert!(opened(&server, READ).await.is_ok());
    }
    assert_eq!(first.send(&list()).await.status, 200);
    while let Ok(client) = opened(&server, READ).await {
        streams.push(client.follow("GET", &json!({})).await);
        assert!(streams.len() <= MOST, "there is no end");
    }
    assert_eq!(streams.len(), MOST);
    let refused = opened(&server, READ).await.err().unwrap();
    assert_eq!(refused.status, 503);
    assert!(
        refused.text.contains("too many MCP sessions"),
        "{}",
        refused.text
    );
    assert!(refused.headers.contains_key("retry-after"));
    assert!(opened(&server, RUN).await.is_ok(), "others have room");
    streams.pop();
    assert!(opened(&server, READ).await.is_ok(), "one is free again");
}

#[tokio::test]
async fn a_session_is_of_who_opened_it() {
    let server = TestServer::with_tokens();
    let admin = opened(&server, ADMIN).await.ok().unwrap();
    let bearer = format!("Bearer {READ}");
    for method in ["POST", "GET", "DELETE"] {
        let headers = [
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-session-id", &admin.session),
        ];
        let answer = server
            .ask(method, "/mcp", &headers, list().to_string())
            .await;
        assert_eq!(answer.status, 404, "{method}: {}", answer.text);
    }
    assert_eq!(admin.send(&list()).await.status, 200);
}

#[tokio::test]
async fn a_stream_ends_with_the_token() {
    let server = TestServer::with_tokens();
    let client = opened(&server, READ).await.ok().unwrap();
    let stream = client.follow("GET", &json!({})).await;
    let admin = opened(&server, ADMIN).await.ok().unwrap();
    let mut others = admin.follow("GET", &json!({})).await;
    std::fs::rename(server.skills().join("pdf"), server.skills().join("pdg")).unwrap();
    server.admit(&format!("admin {ADMIN}\n"));
    let told = tokio::time::timeout(Duration::from_secs(20), stream.rest()).await;
    let told = told.expect("it goes on");
    assert!(!told.contains("list_changed"), "{told}");
    let method = others.next().await["method"].clone();
    assert!(method.as_str().unwrap().ends_with("list_changed"));
    assert_eq!(client.send(&list()).await.status, 401);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_nobody_uses_ends() {
    let server = TestServer::new();
    let client = opened(&server, "").await.ok().unwrap();
    tokio::time::sleep(Duration::from_mins(29)).await;
    assert_eq!(client.send(&list()).await.status, 200);
    tokio::time::sleep(Duration::from_mins(31)).await;
    assert_eq!(client.send(&list()).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_leaves_answers_behind_begins_again() {
    let server = TestServer::new();
    let client = opened(&server, "").await.ok().unwrap();
    for _ in 0..1_000 {
        // The same name for every call, and nobody who waits for its answer.
        drop(client.follow("POST", &list()).await);
    }
    assert_eq!(client.send(&list()).await.status, 404);
    let again = opened(&server, "").await.ok().unwrap();
    assert_eq!(again.send(&list()).await.status, 200);
}

#[tokio::test]
async fn nothing_of_a_session_outlives_it() {
    let server = TestServer::new();
    let before = Arc::strong_count(&server.server);
    for _ in 0..20 {
        let client = opened(&server, "").await.ok().unwrap();
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        for _ in 0..5 {
            assert_eq!(client.send(&ready).await.status, 202);
        }
        let headers = [("mcp-session-id", client.session.as_str())];
        let ended = server.ask("DELETE", "/mcp", &headers, "").await;
        assert!(ended.status.is_success(), "{}", ended.status);
    }
    // Tasks end when they are next looked at.
    for _ in 0..1_000 {
        if Arc::strong_count(&server.server) == before {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!(
        "{} things hold on",
        Arc::strong_count(&server.server) - before
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_goes_on_behind_what_its_reader_has() {
    let server = TestServer::running();
    let asks = json!({ "elicitation": {} });
    let opened = Legacy::try_open(&server, VERSION, RUN, &asks).await;
    let client = opened.ok().unwrap().0;
    let arguments = json!({ "name": "attack", "script": "scripts/fill.sh" });
    let params = json!({ "name": "skill_run", "arguments": arguments });
    let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
    let mut first = client.follow("POST", &call).await;
    let question = first.next().await;
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let last = first.last_id();
    drop(first);
    let second = client.resume(&last).await;
    let yes = json!({ "action": "accept", "content": { "allow": true } });
    let yes = json!({ "jsonrpc": "2.0", "id": question["id"], "result": yes });
    assert_eq!(client.send(&yes).await.status, 202);
    let told = second.rest().await;
    assert!(!told.contains("elicitation/create"), "{told}");
    assert!(told.contains("exit_code"), "{told}");
}

#[tokio::test]
async fn the_end_of_a_session_is_told_as_clients_expect_it() {
    let server = TestServer::new();
    let client = opened(&server, "").await.ok().unwrap();
    let headers = [("mcp-session-id", client.session.as_str())];
    let ended = server.ask("DELETE", "/mcp", &headers, "").await;
    assert_eq!(ended.status, 204, "{}", ended.text);
    assert_eq!(client.send(&list()).await.status, 404);
    let again = server.ask("DELETE", "/mcp", &headers, "").await;
    assert_eq!(again.status, 404, "{}", again.text);
    let none = server.ask("DELETE", "/mcp", &[], "").await;
    assert_eq!(none.status, 400, "{}", none.text);
}

#[tokio::test]
async fn what_is_no_message_is_told_in_json() {
    let server = TestServer::new();
    let client = opened(&server, "").await.ok().unwrap();
    let accept = ("accept", "application/json, text/event-stream");
    let session = ("mcp-session-id", client.session.as_str());
    let json = ("content-type", "application/json");
    for (body, code, id) in [
        ("{", -32700, Value::Null),
        ("", -32600, Value::Null),
        ("[]", -32600, Value::Null),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            -32600,
            Value::Null,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            -32600,
            Value::Null,
        ),
        (r#"{"jsonrpc":"2.0","id":3,"params":{}}"#, -32600, json!(3)),
    ] {
        for headers in [&[json, accept][..], &[json, accept, session]] {
            let answer = server.ask("POST", "/mcp", headers, body).await;
            assert_eq!(answer.status, 400, "{body}: {}", answer.text);
            let told = answer.json();
            assert_eq!(told["error"]["code"], code, "{body}: {told}");
            assert_eq!(told["id"], id, "{body}: {told}");
        }
    }
    let text = ("content-type", "text/plain");
    let answer = server.ask("POST", "/mcp", &[text, accept], "{}").await;
    assert_eq!(answer.status, 415, "{}", answer.text);
}

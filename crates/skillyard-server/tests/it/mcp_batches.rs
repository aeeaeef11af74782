//! Batches of messages, which revision 2025-03-26 has and no other.

use serde_json::{Value, json};

use crate::client::Legacy;
use crate::context::TestServer;

fn ping(id: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "ping" })
}

/// What was said in the events of a stream, by the ids of requests.
fn said(stream: &str) -> Vec<Value> {
    let lines = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    let messages = lines.filter(|line| !line.is_empty());
    let mut messages: Vec<Value> = messages
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    messages.sort_by_key(|message| message["id"].to_string());
    messages
}

#[tokio::test]
async fn each_request_of_a_batch_is_answered() {
    let server = TestServer::new();
    let (client, hello) = Legacy::open(&server, "2025-03-26").await;
    assert_eq!(hello["result"]["protocolVersion"], "2025-03-26");
    let cancelled = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 99 } });
    let unknown = json!({ "jsonrpc": "2.0", "id": "c", "method": "skills/none" });
    let again = json!({ "jsonrpc": "2.0", "id": "d", "method": "initialize", "params": {} });
    let batch = json!([ping("a"), cancelled, ping("b"), unknown, again, { "id": "e" }]);
    let answer = client.send(&batch).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let said = said(&answer.text);
    let ids: Vec<&str> = said
        .iter()
        .map(|each| each["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["a", "b", "c", "d", "e"], "{said:?}");
    assert_eq!(said[0]["result"], json!({}));
    for (at, code) in [(2, -32601), (3, -32600), (4, -32600)] {
        assert_eq!(said[at]["error"]["code"], code, "{said:?}");
    }
    let answer = client.send(&json!([cancelled])).await;
    assert_eq!(answer.status, 202, "{}", answer.text);
}

#[tokio::test]
async fn an_id_that_stands_twice_is_answered_twice() {
    let server = TestServer::new();
    let (client, _) = Legacy::open(&server, "2025-03-26").await;
    let answer = client.send(&json!([ping("a"), ping("a"), ping("b")])).await;
    let said = said(&answer.text);
    let ids: Vec<&str> = said
        .iter()
        .map(|each| each["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["a", "a", "b"], "{said:?}");
    let refused = said.iter().find(|each| each.get("error").is_some());
    assert_eq!(refused.unwrap()["error"]["code"], -32600, "{said:?}");
}

#[tokio::test]
async fn ids_that_are_one_number_are_one_id() {
    let server = TestServer::new();
    let (client, _) = Legacy::open(&server, "2025-03-26").await;
    let ping = |id: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    let batch = json!([ping(json!(1)), ping(json!(1.0)), ping(json!("1"))]);
    let answer = client.send(&batch).await;
    let said = said(&answer.text);
    assert_eq!(said.len(), 3, "{said:?}");
    let refused = said.iter().filter(|each| each.get("error").is_some());
    let refused: Vec<&Value> = refused.map(|each| &each["id"]).collect();
    assert_eq!(refused, [&json!(1)], "{said:?}");
}

#[tokio::test]
async fn what_is_no_batch_there_is_refused() {
    let server = TestServer::new();
    let (client, _) = Legacy::open(&server, "2025-03-26").await;
    let many: Vec<Value> = (0..101).map(|id| ping(&id.to_string())).collect();
    for batch in [json!([]), Value::Array(many)] {
        let answer = client.send(&batch).await;
        assert_eq!(answer.status, 400, "{}", answer.text);
        assert_eq!(answer.json()["error"]["code"], -32600);
    }
    let session = client.session.as_str();
    let newer = [
        ("mcp-session-id", session),
        ("mcp-protocol-version", "2025-06-18"),
    ];
    // Without a session there is no revision that has them, and a newer one has none.
    for more in [&[][..], &newer] {
        let usual = [
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
        ];
        let headers = [&usual[..], more].concat();
        let batch = json!([ping("a")]).to_string();
        let answer = server.ask("POST", "/mcp", &headers, batch).await;
        assert_eq!(answer.status, 400, "{}", answer.text);
        let told = answer.json()["error"]["message"].to_string();
        assert!(
            told.contains("only sessions of revision 2025-03-26"),
            "{told}"
        );
    }
    let gone = Legacy::open(&server, "2025-03-26").await.0;
    let ended = [("mcp-session-id", gone.session.as_str())];
    server.ask("DELETE", "/mcp", &ended, String::new()).await;
    let answer = gone.send(&json!([ping("a")])).await;
    assert_eq!(answer.status, 404, "{}", answer.text);
}

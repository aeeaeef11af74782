//! Talking without a model.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::context::{READ, TestServer};

/// Says something in a new session and gives what came of it.
async fn said(server: &TestServer, text: &str) -> (String, Vec<Value>) {
    let opened = server.ask("POST", "/api/v1/sessions", &[], "").await;
    assert_eq!(opened.status, StatusCode::CREATED);
    let id = opened.json()["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/sessions/{id}");
    let answer = server
        .post(&format!("{path}/messages"), &json!({ "text": text }))
        .await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.text);
    loop {
        let history = server.get(&path).await.json();
        let events = history["events"].as_array().unwrap();
        if events.last().is_some_and(|event| event["type"] == "done") {
            return (id, events.clone());
        }
        tokio::task::yield_now().await;
    }
}

fn tools(events: &[Value]) -> Vec<(&str, bool)> {
    let calls = events.iter().filter(|event| event["type"] == "tool_call");
    calls
        .map(|call| {
            let result = events
                .iter()
                .find(|event| event["type"] == "tool_result" && event["id"] == call["id"]);
            (
                call["name"].as_str().unwrap(),
                result.unwrap()["ok"] == true,
            )
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_activates_its_skill_and_reads_what_it_links_to() {
    let server = TestServer::new();
    let (id, events) = said(&server, "/pdf the form").await;
    assert_eq!(tools(&events), [("skill_load", true), ("skill_read", true)]);
    let output = events[2]["output"].as_str().unwrap();
    assert!(output.contains("Do the form."), "{output}");
    assert!(events[5]["text"].as_str().unwrap().contains("no model"));
    let sessions = server.get("/api/v1/sessions").await.json();
    assert_eq!(
        sessions["sessions"][0],
        json!({ "id": id, "title": "/pdf the form" })
    );
    let recorded = server.machine.events.lock().unwrap();
    assert!(
        recorded
            .iter()
            .all(|event| event.session.as_deref() == Some(id.as_str()))
    );
    assert_eq!(recorded.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_activates_what_fits_best() {
    let server = TestServer::new();
    let (_, events) = said(&server, "please fill a pdf form").await;
    assert_eq!(
        tools(&events),
        [
            ("skill_search", true),
            ("skill_load", true),
            ("skill_read", true)
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_name_gets_a_proposal() {
    let (_, events) = said(&TestServer::new(), "/pfd").await;
    assert_eq!(tools(&events), [("skill_load", false)]);
    let text = events[3]["text"].as_str().unwrap();
    assert!(text.contains("did you mean `pdf`"), "{text}");
}

#[tokio::test]
async fn what_makes_no_sense_is_refused() {
    let server = TestServer::new();
    let opened = server.ask("POST", "/api/v1/sessions", &[], "").await.json();
    let path = format!("/api/v1/sessions/{}", opened["id"].as_str().unwrap());
    for text in ["", "   "] {
        let answer = server
            .post(&format!("{path}/messages"), &json!({ "text": text }))
            .await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    }
    let long = json!({ "text": "x".repeat(25_001) });
    let answer = server.post(&format!("{path}/messages"), &long).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    let answer = server
        .post("/api/v1/sessions/none/messages", &json!({ "text": "x" }))
        .await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    let consent = json!({ "consent": "once" });
    let answer = server.post(&format!("{path}/approvals/1"), &consent).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn readers_do_not_talk() {
    let server = TestServer::with_tokens();
    let token = format!("Bearer {READ}");
    let read = [("authorization", token.as_str())];
    let answer = server.ask("POST", "/api/v1/sessions", &read, "").await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    let answer = server.ask("GET", "/", &read, "").await;
    assert_eq!(answer.headers["location"], "/skills");
}

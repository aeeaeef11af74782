//! The log says who did something, and nobody can write others out of it.

use axum::http::StatusCode;
use serde_json::{Value, json};
use skillyard_audit::{Event, EventKind};

use crate::context::{ADMIN, Answer, READ, TestServer};

const PDF: &str = "/api/v1/skills/pdf/activate";

async fn post(server: &TestServer, token: &str, path: &str, body: Value) -> Answer {
    let token = format!("Bearer {token}");
    let headers = [
        ("content-type", "application/json"),
        ("authorization", token.as_str()),
    ];
    server.ask("POST", path, &headers, body.to_string()).await
}

fn last(server: &TestServer) -> Event {
    server
        .machine
        .events
        .lock()
        .unwrap()
        .last()
        .unwrap()
        .clone()
}

#[tokio::test]
async fn events_name_the_token_and_its_role() {
    let server = TestServer::with_tokens();
    for (token, role) in [(READ, "read"), (ADMIN, "admin")] {
        post(&server, token, PDF, json!({})).await;
        let activated = last(&server);
        assert_eq!(activated.kind, EventKind::SkillActivated);
        assert_eq!(activated.detail["role"], role);
        assert_eq!(activated.detail["token"].len(), 16);
        let tool = json!({ "name": "pdf", "path": "references/fields.md" });
        post(&server, token, "/api/v1/tools/skill_read", tool).await;
        let read = last(&server);
        assert_eq!(read.kind, EventKind::ResourceRead);
        assert_eq!(read.detail["token"], activated.detail["token"]);
    }
    let agent = json!({ "name": "a" });
    let made = post(&server, ADMIN, "/api/v1/agents", agent).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
    assert_eq!(last(&server).detail["role"], "admin");
    // The user of this machine needs no token.
    let server = TestServer::new();
    server.post(PDF, &json!({})).await;
    assert!(!last(&server).detail.contains_key("token"));
}

#[tokio::test]
async fn decisions_of_the_guard_are_recorded() {
    let server = TestServer::with_tokens();
    for (command, kind) in [
        ("git log", EventKind::ToolAllowed),
        ("curl x", EventKind::ToolBlocked),
    ] {
        let call = json!({ "skills": ["pdf"], "tool": "Bash", "input": command });
        let answer = post(&server, READ, "/api/v1/guard/check", call).await;
        let event = last(&server);
        assert_eq!(event.kind, kind);
        assert_eq!(event.trigger.as_deref(), Some("guard"));
        assert_eq!(event.skill.as_deref(), Some("pdf"));
        assert_eq!(event.detail["input"], command);
        assert_eq!(event.detail["role"], "read");
        assert_eq!(event.reason.as_deref(), answer.json()["reason"].as_str());
    }
}

#[tokio::test]
async fn what_a_caller_calls_their_session_is_no_session_of_ours() {
    let server = TestServer::with_tokens();
    let named = post(&server, READ, PDF, json!({ "session": "s1" })).await;
    assert_eq!(named.status, StatusCode::OK);
    let event = last(&server);
    assert_eq!(event.session, None);
    assert_eq!(event.detail["client_session"], "s1");
    let known = server.machine.events.lock().unwrap().len();
    for odd in [
        "\u{1}".repeat(4096),
        "x".repeat(65),
        "a b".into(),
        "ä".into(),
    ] {
        let answer = post(&server, READ, PDF, json!({ "session": odd })).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{odd}");
    }
    assert_eq!(server.machine.events.lock().unwrap().len(), known);
}

#[tokio::test]
async fn who_reads_without_end_is_counted_and_not_written_down() {
    let server = TestServer::with_tokens();
    for _ in 0..1_100 {
        let answer = post(&server, READ, PDF, json!({})).await;
        assert_eq!(answer.status, StatusCode::OK);
    }
    let written = server.machine.events.lock().unwrap().len();
    assert!((1_000..1_060).contains(&written), "{written}");
    post(&server, ADMIN, PDF, json!({})).await;
    assert_eq!(last(&server).detail["role"], "admin");
    server.server.close();
    let lost = last(&server);
    assert_eq!(lost.kind, EventKind::LogLost);
    let count: usize = lost.detail["events"].parse().unwrap();
    assert_eq!(written + count, 1_100);
}

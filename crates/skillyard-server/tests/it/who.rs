//! The log says who did something, and nobody can write others out of it.

use axum::http::StatusCode;
use serde_json::{Value, json};
use skillyard_audit::{Event, EventKind};

use crate::context::{ADMIN, Answer, READ, RUN, TestServer};

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
    for _ in 0..1_500 {
        let answer = post(&server, READ, PDF, json!({})).await;
        assert_eq!(answer.status, StatusCode::OK);
    }
    let written = server.machine.events.lock().unwrap().len();
    assert!((500..1_000).contains(&written), "{written}");
    post(&server, ADMIN, PDF, json!({})).await;
    assert_eq!(last(&server).detail["role"], "admin");
    server.server.close();
    let lost = last(&server);
    assert_eq!(lost.kind, EventKind::LogLost);
    let count: usize = lost.detail["events"].parse().unwrap();
    assert_eq!(written + count, 1_500);
}

const TOOL: &str = "/api/v1/tools/skill_run";

/// Wants a script to run, with an argument of its own.
fn wanted(argument: impl Into<String>) -> Value {
    json!({ "name": "attack", "script": "scripts/fill.sh", "args": [argument.into()] })
}

/// Has questions asked that nobody answers until something else happens; the answer then.
async fn flooded(server: &TestServer) -> Answer {
    for at in 0..1_000 {
        let long = format!("{at}{}", "z".repeat(9_000));
        let answer = post(server, RUN, TOOL, wanted(long)).await;
        if answer.status != StatusCode::PRECONDITION_REQUIRED {
            return answer;
        }
    }
    panic!("nobody stops it");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asks_to_run_without_end_is_refused_before_others_are_pushed_out() {
    let server = TestServer::running();
    let sessions = post(&server, RUN, "/api/v1/sessions", json!({})).await;
    let session = sessions.json()["id"].as_str().unwrap().to_owned();
    let refused = flooded(&server).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(refused.text.contains("its share"), "{}", refused.text);
    let events = server.machine.events.lock().unwrap().clone();
    let written: usize = events.iter().map(Event::size).sum();
    assert!((1_000_000..1_100_000).contains(&written), "{written}");
    // Nor does it talk, which is recorded, too. There is a little room again after each moment.
    let path = format!("/api/v1/sessions/{session}/messages");
    let words = json!({ "text": "/attack x" });
    let mut said = post(&server, RUN, &path, words.clone()).await;
    for _ in 0..100 {
        if said.status == StatusCode::TOO_MANY_REQUESTS {
            break;
        }
        flooded(&server).await;
        said = post(&server, RUN, &path, words.clone()).await;
    }
    assert_eq!(said.status, StatusCode::TOO_MANY_REQUESTS, "{}", said.text);
    // Others do both.
    let other = post(&server, ADMIN, TOOL, wanted("x")).await;
    assert_eq!(other.status, StatusCode::PRECONDITION_REQUIRED);
    let own = post(&server, ADMIN, "/api/v1/sessions", json!({})).await;
    let path = format!(
        "/api/v1/sessions/{}/messages",
        own.json()["id"].as_str().unwrap()
    );
    let said = post(&server, ADMIN, &path, words).await;
    assert_eq!(said.status, StatusCode::ACCEPTED, "{}", said.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_about_a_name_that_no_file_has() {
    let server = TestServer::running();
    let known = server.machine.events.lock().unwrap().len();
    let call = json!({ "name": "attack", "script": "q".repeat(4_200) });
    let answer = post(&server, RUN, TOOL, call).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND, "{}", answer.text);
    assert!(answer.text.len() < 500, "{}", answer.text);
    assert_eq!(server.machine.events.lock().unwrap().len(), known);
}

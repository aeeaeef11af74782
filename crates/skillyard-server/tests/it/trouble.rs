//! The server's own trouble is told as such, and its log says what it is.

use std::fs;
use std::sync::atomic::Ordering;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use serde_json::json;

use crate::client::Modern;
use crate::context::{SOURCE, TestServer};

/// What the log has of failures since it was last looked at.
fn failures(server: &TestServer) -> Vec<String> {
    std::mem::take(&mut server.machine.failures.lock().unwrap())
}

#[tokio::test]
async fn a_log_that_cannot_be_read_is_no_fault_of_who_asks() {
    let server = TestServer::new();
    fs::create_dir_all(server.folder.path().join("logs/audit.jsonl")).unwrap();
    for path in [
        "/api/v1/audit",
        "/api/v1/audit/verify",
        "/api/v1/skills/pdf/usage",
        "/audit",
    ] {
        let answer = server.get(path).await;
        assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR, "{path}");
        let told = "the audit log cannot be read";
        assert!(answer.text.contains(told), "{path}: {}", answer.text);
        assert!(!answer.text.contains("audit.jsonl"), "{}", answer.text);
        let logged = failures(&server);
        assert!(logged[0].contains("audit.jsonl"), "{path}: {logged:?}");
    }
}

#[tokio::test]
async fn a_failure_in_the_middle_is_told_and_logged() {
    let server = TestServer::new();
    server.machine.panics.store(true, Ordering::Relaxed);
    for path in ["/api/v1/skills/pdf", "/skills/pdf"] {
        let answer = server.get(path).await;
        assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR, "{path}");
        assert!(answer.text.contains("the server failed at this"), "{path}");
        let logged = failures(&server);
        assert!(logged[0].contains("out of luck"), "{logged:?}");
    }
    let client = Modern::new(&server);
    let answer = client.call("skill_load", json!({ "name": "pdf" })).await;
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    let logged = failures(&server);
    assert!(logged[0].contains("out of luck"), "{logged:?}");
}

#[tokio::test]
async fn who_answers_and_fails_is_answered_for() {
    let fails = get(async || -> &'static str { panic!("out of luck") });
    let server = TestServer::new().with_registry(Router::new().route("/fails", fails));
    for accept in ["*/*", "text/html"] {
        let headers = [("accept", accept)];
        let answer = server.ask("GET", "/registry/fails", &headers, "").await;
        assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
        let told = &answer.text;
        assert!(told.contains("the server failed at this"), "{told}");
        assert_eq!(told.contains("<html"), accept == "text/html", "{told}");
        assert!(!told.contains("out of luck"), "{told}");
        let expected = "GET /registry/fails failed: it panicked: out of luck";
        assert_eq!(failures(&server), [expected]);
    }
}

#[tokio::test]
async fn a_full_disk_is_no_fault_of_who_installs() {
    let server = TestServer::new();
    let order = json!({ "reference": "./large" });
    let answer = server.post("/api/v1/install", &order).await;
    assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
    // Who installs is an admin.
    assert!(answer.text.contains(SOURCE), "{}", answer.text);
    assert!(failures(&server)[0].contains("no space left"));
}

#[tokio::test]
async fn what_cannot_be_read_is_told_apart_from_what_is_not_there() {
    let server = TestServer::new();
    let file = |path: &str| format!("/api/v1/skills/pdf/files/{path}");
    for missing in ["nothing.md".to_owned(), "x".repeat(300)] {
        let answer = server.get(&file(&missing)).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{}", answer.text);
    }
    fs::remove_dir_all(server.skills().join("pdf")).unwrap();
    let answer = server.get("/api/v1/skills/pdf").await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    assert_eq!(failures(&server), Vec::<String>::new());
}

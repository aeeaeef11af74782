//! One token does not take what is there for all.

use axum::body::Body;
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::{Person, RUNS};
use crate::context::{ADMIN, CHAT, TestServer};

#[tokio::test(flavor = "multi_thread")]
async fn questions_of_one_keep_nobody_else_from_an_answer() {
    let server = TestServer::with_tokens();
    let (person, admin) = (Person::with(&server, CHAT), Person::with(&server, ADMIN));
    let mut refused = 0;
    for _ in 0..20 {
        let id = person.begin(Value::Null).await;
        match person.say(&id, RUNS).await {
            StatusCode::SERVICE_UNAVAILABLE => refused += 1,
            _ => drop(person.wait(&id, "approval", 0).await),
        }
    }
    assert_eq!(refused, 4);
    let id = admin.begin(Value::Null).await;
    admin.said(&id, "/pdf x").await;
    server.server.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_of_one_keep_nobody_else_from_reading() {
    let server = TestServer::with_tokens();
    let (person, admin) = (Person::with(&server, CHAT), Person::with(&server, ADMIN));
    let id = person.begin(Value::Null).await;
    let path = format!("/api/v1/sessions/{id}/events");
    let mut streams = Vec::new();
    for at in 0..130 {
        let token = format!("Bearer {CHAT}");
        let headers = [("authorization", token.as_str())];
        let stream = server.open("GET", &path, &headers, Body::empty()).await;
        let is_fine = stream.status() == StatusCode::OK;
        assert_eq!(is_fine, at < 128, "{at}");
        streams.push(stream);
    }
    let id = admin.begin(Value::Null).await;
    admin.said(&id, "/pdf x").await;
    let token = format!("Bearer {ADMIN}");
    let headers = [("authorization", token.as_str())];
    let path = format!("/api/v1/sessions/{id}/events");
    assert!(!server.stream(&path, &headers, 1).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn many_sessions_of_one_push_out_nobody_elses() {
    let server = TestServer::with_tokens();
    let (person, admin) = (Person::with(&server, CHAT), Person::with(&server, ADMIN));
    let fresh = admin.begin(Value::Null).await;
    let first = person.begin(Value::Null).await;
    let kept = person.begin(Value::Null).await;
    person.said(&kept, "/pdf x").await;
    for _ in 0..199 {
        person.begin(Value::Null).await;
    }
    admin.said(&fresh, "/pdf x").await;
    // What was kept made room, and is found again.
    person.said(&first, "/pdf x").await;
    assert!(!person.events(&kept).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_no_admin_gets_the_models_that_are_offered() {
    let server = TestServer::with_tokens();
    let (person, admin) = (Person::with(&server, CHAT), Person::with(&server, ADMIN));
    let dear = || json!({ "model": format!("local/{}", "x".repeat(20_000)) });
    let refused = person.ask("POST", "/sessions", dear()).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert!(refused.text.contains("`offline`"), "{}", refused.text);
    let offered = json!({ "model": "offline" });
    let opened = person.ask("POST", "/sessions", offered).await;
    assert_eq!(opened.status, StatusCode::CREATED);
    // What an admin names is looked for.
    let unknown = admin.ask("POST", "/sessions", dear()).await;
    assert_eq!(unknown.status, StatusCode::BAD_REQUEST);
}

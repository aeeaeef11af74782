//! What a login follows ends with the login.

use axum::http::StatusCode;
use serde_json::Value;

use super::{PATIENCE, Person};
use crate::context::{CHAT, TestServer};

#[tokio::test(flavor = "multi_thread")]
async fn what_is_followed_ends_with_the_login() {
    let server = TestServer::with_tokens();
    let person = Person::with(&server, CHAT);
    let id = person.begin(Value::Null).await;
    person.said(&id, "Hello.").await;
    let path = format!("/api/v1/sessions/{id}/events");
    let login = server.login(CHAT).await;
    let cookie = ("cookie", login.as_str());
    let followed = server.open("GET", &path, &[cookie], "").await;
    assert_eq!(followed.headers()["x-accel-buffering"], "no");
    let page = server.ask("GET", "/skills", &[cookie], "").await.text;
    let value = page.split("name=\"csrf\" content=\"").nth(1).unwrap();
    let value = value.split('"').next().unwrap();
    let headers = [
        cookie,
        ("origin", "http://localhost:7878"),
        ("x-csrf-token", value),
    ];
    let left = server.ask("POST", "/logout", &headers, "").await;
    assert_eq!(left.status, StatusCode::SEE_OTHER, "{}", left.text);
    person.said(&id, "After the login.").await;
    let told = axum::body::to_bytes(followed.into_body(), 1 << 24);
    let told = tokio::time::timeout(PATIENCE, told).await;
    let told = told.expect("it goes on").unwrap();
    assert!(!String::from_utf8_lossy(&told).contains("After the login"));
}

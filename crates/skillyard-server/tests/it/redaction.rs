//! Where things lie on the machine is for admins, also in what goes wrong.

use std::sync::atomic::Ordering;

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::client::Modern;
use crate::context::{ADMIN, READ, SOURCE, TestServer};

/// What somebody with a token is told over the API, on pages and over MCP.
async fn told(server: &TestServer, token: &str) -> Vec<(String, String)> {
    let bearer = format!("Bearer {token}");
    let asks = [
        ("GET", "/api/v1/skills", Value::Null),
        ("GET", "/api/v1/search?q=pdf", Value::Null),
        ("GET", "/api/v1/skills/pdf", Value::Null),
        ("GET", "/skills", Value::Null),
        ("GET", "/skills/pdf", Value::Null),
        ("GET", "/api/v1/skills/pdf/body", Value::Null),
        ("POST", "/api/v1/skills/pdf/activate", json!({})),
        ("POST", "/api/v1/tools/skill_load", json!({ "name": "pdf" })),
        (
            "POST",
            "/api/v1/guard/check",
            json!({ "skills": ["pdf"], "tool": "Read", "input": "a" }),
        ),
    ];
    let mut told = Vec::new();
    for (method, path, body) in asks {
        let headers = [
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
        ];
        let answer = server.ask(method, path, &headers, body.to_string()).await;
        told.push((format!("{method} {path}"), answer.text));
    }
    let client = Modern::new(server).with_token(token);
    let own = json!({ "uri": "skill://pdf/SKILL.md" });
    for (method, params) in [
        ("prompts/get", json!({ "name": "pdf" })),
        ("resources/read", own),
        (
            "tools/call",
            json!({ "name": "skill_load", "arguments": { "name": "pdf" } }),
        ),
        (
            "tools/call",
            json!({ "name": "skill_read", "arguments": { "name": "pdf", "path": "a" } }),
        ),
    ] {
        let answer = client.ask(method, params).await;
        told.push((method.to_owned(), answer.to_string()));
    }
    told
}

/// Asks as a reader and as an admin; how many of the answers name a place to the admin.
async fn check(server: &TestServer) -> usize {
    let home = server.folder.path().display().to_string();
    for (what, text) in told(server, READ).await {
        assert!(
            !text.contains(SOURCE) && !text.contains(&home),
            "{what}: {text}"
        );
    }
    let seen = told(server, ADMIN).await;
    seen.iter()
        .filter(|(_, text)| text.contains(SOURCE))
        .count()
}

#[tokio::test]
async fn why_a_skill_is_held_back_names_no_place_to_readers() {
    let server = TestServer::with_tokens();
    server.machine.holds_back.store(true, Ordering::Relaxed);
    server.server.reload().unwrap();
    assert!(check(&server).await >= 9);
}

#[tokio::test]
async fn what_to_do_about_an_altered_skill_names_no_place_to_readers() {
    let server = TestServer::with_tokens();
    server.pretend_altered("pdf");
    assert!(check(&server).await >= 7);
    let bearer = format!("Bearer {READ}");
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
    ];
    let path = "/api/v1/skills/pdf/activate";
    let answer = server.ask("POST", path, &headers, "{}").await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    assert_eq!(answer.headers["content-type"], "application/problem+json");
    assert_eq!(answer.json()["remedy"], "Mend it in …");
}

#[tokio::test]
async fn our_own_addresses_are_no_places() {
    let server = TestServer::with_tokens();
    let bearer = format!("Bearer {READ}");
    let headers = [("authorization", bearer.as_str()), ("accept", "text/html")];
    // What this machine can name reads like an address of ours.
    let ours = ["/skills".into(), "/assets".into(), "/logout".into()];
    server.machine.places.lock().unwrap().extend(ours);
    for path in ["/skills/none", "/nothing", "/admin"] {
        let answer = server.ask("GET", path, &headers, "").await;
        let told = answer.text;
        assert!(answer.status.is_client_error(), "{path}: {told}");
        assert!(told.contains("href=\"/skills\""), "{path}: {told}");
        assert!(told.contains("\"/assets/"), "{path}: {told}");
    }
    // What somebody is told may be such a place.
    let answer = server.ask("GET", "/skills/%2Fskills", &headers, "").await;
    assert!(
        answer.text.contains("there is no skill `…`"),
        "{}",
        answer.text
    );
}

//! Who may talk, decide and read.

use std::sync::atomic::Ordering;

use axum::http::StatusCode;
use serde_json::{Value, json};
use tokio_stream::StreamExt as _;

use super::{PATIENCE, Person, RUNS, tools};
use crate::context::{ADMIN, CHAT, OTHER, READ, RUN, SOURCE, TestServer};
use crate::desk::SPELL;

#[tokio::test(flavor = "multi_thread")]
async fn nobody_reads_or_changes_the_chats_of_others() {
    let server = TestServer::with_tokens();
    let (owner, other) = (Person::with(&server, CHAT), Person::with(&server, OTHER));
    let id = owner.begin(Value::Null).await;
    owner.said(&id, "/pdf the form").await;
    for (method, part, body) in [
        ("GET", "", Value::Null),
        ("DELETE", "", Value::Null),
        ("GET", "/export", Value::Null),
        ("GET", "/events", Value::Null),
        ("POST", "/fork", Value::Null),
        ("POST", "/stop", Value::Null),
        ("POST", "/release", json!({ "skill": "pdf" })),
        ("POST", "/messages", json!({ "text": "x" })),
        ("POST", "/approvals/q0", json!({ "consent": "no" })),
    ] {
        let answer = other
            .ask(method, &format!("/sessions/{id}{part}"), body)
            .await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{method} {part}");
    }
    let listed = other.ask("GET", "/sessions", Value::Null).await.json();
    assert_eq!(listed["sessions"], json!([]));
    let token = format!("Bearer {OTHER}");
    let page = server
        .ask(
            "GET",
            &format!("/chat/{id}"),
            &[("authorization", &token)],
            "",
        )
        .await;
    assert_eq!(page.status, StatusCode::NOT_FOUND);
    let admin = Person::with(&server, ADMIN);
    let listed = admin.ask("GET", "/sessions", Value::Null).await.json();
    assert_eq!(listed["sessions"][0]["id"], id.as_str());
}

#[tokio::test(flavor = "multi_thread")]
async fn consent_needs_its_role() {
    let server = TestServer::with_tokens();
    for (token, expected) in [
        (
            CHAT,
            [
                StatusCode::FORBIDDEN,
                StatusCode::FORBIDDEN,
                StatusCode::FORBIDDEN,
            ],
        ),
        (
            RUN,
            [
                StatusCode::FORBIDDEN,
                StatusCode::NOT_FOUND,
                StatusCode::NOT_FOUND,
            ],
        ),
        (
            ADMIN,
            [
                StatusCode::NOT_FOUND,
                StatusCode::NOT_FOUND,
                StatusCode::NOT_FOUND,
            ],
        ),
    ] {
        let person = Person::with(&server, token);
        let id = person.begin(Value::Null).await;
        let question = format!("/sessions/{id}/approvals/q0");
        for (consent, expected) in ["digest", "once", "session"].into_iter().zip(expected) {
            assert_eq!(
                person.decide(&question, consent).await,
                expected,
                "{consent}"
            );
        }
        assert_eq!(person.decide(&question, "no").await, StatusCode::NOT_FOUND);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_that_needs_no_question_still_needs_the_role() {
    let server = TestServer::with_tokens();
    server.machine.never_asks.store(true, Ordering::Relaxed);
    for token in [RUN, ADMIN] {
        let person = Person::with(&server, token);
        let id = person.begin(Value::Null).await;
        assert_eq!(
            tools(&person.said(&id, RUNS).await),
            [("skill_run", "ok")],
            "{token}"
        );
    }
    let (person, admin) = (Person::with(&server, CHAT), Person::with(&server, ADMIN));
    let id = person.begin(Value::Null).await;
    for (consent, outcome, kind) in [
        ("no", "denied", "approval.denied"),
        ("once", "ok", "approval.granted"),
    ] {
        let known = person.events(&id).await.len();
        let question = person.asked(&id, RUNS).await;
        for yes in ["once", "session", "digest"] {
            assert_eq!(person.decide(&question, yes).await, StatusCode::FORBIDDEN);
        }
        assert_eq!(admin.decide(&question, consent).await, StatusCode::ACCEPTED);
        let events = person.wait(&id, "done", known).await.split_off(known);
        assert_eq!(tools(&events), [("skill_run", outcome)], "{consent}");
        let recorded = server.machine.events.lock().unwrap();
        let answer = recorded
            .iter()
            .rfind(|event| event.detail.contains_key("decider"));
        let answer = answer.unwrap();
        assert_eq!(answer.kind.as_str(), kind);
        assert_eq!(answer.detail["role"], "chat");
        assert_eq!(answer.detail["decider_role"], "admin");
        assert_ne!(answer.detail["decider"], answer.detail["token"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_of_the_machine_are_for_admins() {
    let server = TestServer::with_tokens();
    let home = server.folder.path().display().to_string();
    let person = Person::with(&server, CHAT);
    let id = person.begin(Value::Null).await;
    person.said(&id, "/pdf the form").await;
    for part in ["", "/export"] {
        let answer = person
            .ask("GET", &format!("/sessions/{id}{part}"), Value::Null)
            .await;
        assert!(!answer.text.contains(&home), "{part}: {}", answer.text);
        assert!(answer.text.contains("skill://pdf"), "{part}");
    }
    let token = format!("Bearer {CHAT}");
    let path = format!("/api/v1/sessions/{id}/events");
    let told = server.stream(&path, &[("authorization", &token)], 5).await;
    assert!(
        told.iter()
            .all(|(_, event)| !event.to_string().contains(&home))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_that_is_told_letter_by_letter_is_for_admins_too() {
    let server = TestServer::with_tokens();
    let home = server.folder.path().display().to_string();
    for (token, sees) in [(CHAT, false), (ADMIN, true)] {
        let person = Person::with(&server, token);
        let id = person.begin(Value::Null).await;
        let told = person.said(&id, SPELL).await;
        let bearer = format!("Bearer {token}");
        let path = format!("/api/v1/sessions/{id}/events");
        let headers = [("authorization", bearer.as_str())];
        let followed = server.stream(&path, &headers, told.len()).await;
        let followed: Vec<Value> = followed.into_iter().map(|(_, event)| event).collect();
        for events in [told, followed] {
            let texts = events.iter().filter_map(|event| event["text"].as_str());
            let text: String = texts.collect();
            assert_eq!(text.contains(&home), sees, "{text}");
            assert_eq!(text.contains("It lies in skill://pdf."), !sees, "{text}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn where_a_skill_came_from_is_for_admins() {
    let server = TestServer::with_tokens();
    let (person, admin) = (Person::with(&server, CHAT), Person::with(&server, ADMIN));
    let id = person.begin(Value::Null).await;
    person.said(&id, "/attack").await;
    let question = person.asked(&id, RUNS).await;
    let session = format!("/sessions/{id}");
    let token = format!("Bearer {CHAT}");
    let headers = [("authorization", token.as_str())];
    let mut texts = Vec::new();
    for (method, path, body) in [
        ("GET", session.as_str(), Value::Null),
        ("GET", &format!("{session}/export"), Value::Null),
        ("GET", "/skills/attack", Value::Null),
        ("POST", "/skills/attack/activate", json!({})),
        ("POST", "/tools/skill_load", json!({ "name": "attack" })),
    ] {
        let seen = person.ask(method, path, body.clone()).await.text;
        let all = admin.ask(method, path, body).await.text;
        texts.push((path.to_owned(), seen, Some(all)));
    }
    let page = server.ask("GET", "/skills/attack", &headers, "").await;
    texts.push(("the page".into(), page.text, None));
    // Up to the question.
    let mut events = person.events(&id).await;
    events.dedup_by(|one, other| one["type"] == "text" && other["type"] == "text");
    let path = format!("/api/v1{session}/events");
    let told = server.stream(&path, &headers, events.len()).await;
    texts.push(("the events".into(), format!("{told:?}"), None));
    assert_eq!(
        person.decide(&question, "no").await,
        StatusCode::ACCEPTED,
        "before anything is compared: a question that is open is waited for"
    );
    for (path, seen, all) in texts {
        assert!(seen.contains("attack"), "{path}: {seen}");
        assert!(!seen.contains(SOURCE), "{path}: {seen}");
        assert!(all.is_none_or(|all| all.contains(SOURCE)), "{path}");
    }
}

#[tokio::test]
async fn readers_do_not_talk() {
    let server = TestServer::with_tokens();
    let person = Person::with(&server, READ);
    for (method, path) in [
        ("POST", "/sessions"),
        ("GET", "/sessions"),
        ("GET", "/models"),
    ] {
        let answer = person.ask(method, path, Value::Null).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path}");
    }
    let token = format!("Bearer {READ}");
    let answer = server
        .ask("GET", "/", &[("authorization", &token)], "")
        .await;
    assert_eq!(answer.headers["location"], "/skills");
}

/// What is told ends with the token, whichever way it was shown and whatever becomes of it.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_followed_ends_with_the_token() {
    for (role, by_cookie) in [("", false), ("", true), ("read", false)] {
        let server = TestServer::with_tokens();
        let (person, admin) = (Person::with(&server, CHAT), Person::with(&server, ADMIN));
        let id = person.begin(Value::Null).await;
        person.said(&id, "Hello.").await;
        let path = format!("/api/v1/sessions/{id}/events");
        let login = server.login(CHAT).await;
        let bearer = [format!("Bearer {CHAT}"), format!("Bearer {ADMIN}")];
        let header = if by_cookie {
            ("cookie", login.as_str())
        } else {
            ("authorization", bearer[0].as_str())
        };
        let theirs = server.open("GET", &path, &[header], "").await;
        let header = ("authorization", bearer[1].as_str());
        let others = server.open("GET", &path, &[header], "").await;
        let changed = match role {
            "" => String::new(),
            role => format!("{role} {CHAT}\n"),
        };
        server.admit(&format!("{changed}admin {ADMIN}\n"));
        admin.said(&id, "For admins only.").await;
        let told = axum::body::to_bytes(theirs.into_body(), 1 << 24);
        let told = tokio::time::timeout(PATIENCE, told).await;
        let told = told.expect("it goes on").unwrap();
        assert!(!String::from_utf8_lossy(&told).contains("For admins only"));
        // Whoever's token is still there goes on.
        let mut told = String::new();
        let mut pieces = others.into_body().into_data_stream();
        while !told.contains("For admins only") {
            let piece = tokio::time::timeout(PATIENCE, pieces.next()).await;
            told.push_str(&String::from_utf8_lossy(&piece.unwrap().unwrap().unwrap()));
        }
    }
}

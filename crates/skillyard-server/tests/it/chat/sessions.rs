//! Sessions: going on, copying, exporting and forgetting.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::{PATIENCE, Person, RUNS, found};
use crate::context::{CHAT, TestServer};
use crate::desk::SPELL;

#[tokio::test(flavor = "multi_thread")]
async fn who_goes_on_later_finds_the_same() {
    let server = TestServer::new();
    let person = Person::on(&server);
    let id = person.begin(Value::Null).await;
    let before = person.said(&id, "/pdf the form").await;
    let later = server.restarted();
    let after = Person::on(&later).events(&id).await;
    let kept = |events: &[Value]| -> Vec<Value> {
        let shown = ["user", "skill", "text", "tool_call"];
        let kept = events.iter().filter(|event| {
            let kind = event["type"].as_str().unwrap();
            shown.contains(&kind)
        });
        kept.cloned().collect()
    };
    assert_eq!(kept(&after), kept(&before));
    assert_eq!(found(&after, "active"), found(&before, "active"));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_later_is_told_what_it_cost() {
    let server = TestServer::new();
    let person = Person::on(&server);
    let id = person.begin(Value::Null).await;
    for _ in 0..2 {
        person.said(&id, SPELL).await;
    }
    let events = person.events(&id).await;
    let last = events.iter().rfind(|event| event["type"] == "usage");
    let now = last.unwrap()["session"].clone();
    let later = server.restarted();
    let events = Person::on(&later).events(&id).await;
    let cost = json!({ "type": "usage", "input": 14, "cached": 4, "output": 6,
        "session": { "input": 14, "cached": 4, "output": 6 } });
    assert_eq!(found(&events, "usage"), &cost);
    // Whoever is there is told the same sum.
    assert_eq!(now, cost["session"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_wanted_a_skill_is_told_the_same_later() {
    let server = TestServer::new();
    let person = Person::on(&server);
    for (strategy, said, trigger) in [
        ("router", "please fill a pdf form", "router"),
        ("tool", "/pdf the form", "user"),
    ] {
        let id = person.begin(json!({ "strategy": strategy })).await;
        let before = person.said(&id, said).await;
        assert_eq!(found(&before, "skill")["trigger"], trigger);
        let after = Person::on(&server.restarted()).events(&id).await;
        assert_eq!(found(&after, "skill")["trigger"], trigger);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_terminal_added_is_seen() {
    let server = TestServer::new();
    let person = Person::on(&server);
    let id = person.begin(Value::Null).await;
    person.said(&id, "/pdf the form").await;
    let other = server.restarted();
    Person::on(&other).said(&id, "/attack").await;
    let texts: Vec<Value> = person.events(&id).await;
    let users = texts.iter().filter(|event| event["type"] == "user");
    assert_eq!(users.count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn older_sessions_are_a_page_further() {
    let server = TestServer::new();
    let person = Person::on(&server);
    let mut begun = Vec::new();
    for at in 0..5 {
        let id = person.begin(Value::Null).await;
        person.said(&id, &format!("Task {at}")).await;
        begun.push(id);
    }
    begun.reverse();
    let (mut seen, mut path) = (Vec::new(), "/sessions?limit=2".to_owned());
    loop {
        let part = person.ask("GET", &path, Value::Null).await.json();
        let ids = part["sessions"].as_array().unwrap().iter();
        seen.extend(ids.map(|each| each["id"].as_str().unwrap().to_owned()));
        let Some(older) = part["older"].as_str() else {
            break;
        };
        path = format!("/sessions?limit=2&before={older}");
    }
    assert_eq!(seen, begun);
    for wrong in ["before=x", "limit=x", "page=2"] {
        let answer = person
            .ask("GET", &format!("/sessions?{wrong}"), Value::Null)
            .await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{wrong}");
    }
    // The list beside a chat goes on in the same way.
    let part = person
        .ask("GET", "/sessions?limit=3", Value::Null)
        .await
        .json();
    let older = part["older"].as_str().unwrap();
    let page = server
        .get(&format!("/chat/{}?before={older}", begun[0]))
        .await
        .text;
    let listed = |id: &String| page.contains(&format!("<a href=\"/chat/{id}\""));
    assert_eq!(
        begun.iter().map(listed).collect::<Vec<_>>(),
        [false, false, false, true, true]
    );
    assert!(page.contains("href=\"?\">Newest</a>"), "{page}");
    let all = server.get("/?before=x").await.text;
    assert!(begun.iter().all(|id| all.contains(id)), "{all}");
    assert!(!all.contains("Newest") && !all.contains("Older"), "{all}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_goes_on_where_it_was() {
    let server = TestServer::new();
    let person = Person::on(&server);
    let id = person.begin(Value::Null).await;
    person.said(&id, "/pdf the form").await;
    let path = format!("/api/v1/sessions/{id}/events");
    let all = server.stream(&path, &[], 6).await;
    assert_eq!(all[0].1["type"], "user");
    let known = all[2].0.as_str();
    let rest = server.stream(&path, &[("last-event-id", known)], 3).await;
    assert_eq!(rest, all[3..]);
    // Another telling of the session, such as that of a server before this one.
    let anew = server
        .stream(&path, &[("last-event-id", "0123-7")], 2)
        .await;
    assert_eq!(anew[0].1["type"], "reset");
    assert_eq!(anew[1], all[0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_answered_first_is_seen_meanwhile() {
    let server = TestServer::new();
    let person = Person::on(&server);
    let id = person.begin(Value::Null).await;
    let path = format!("/sessions/{id}");
    let question = person.asked(&id, RUNS).await;
    let seen = person.ask("GET", &path, Value::Null).await.json();
    assert_eq!(seen["busy"], true, "{seen}");
    assert_eq!(seen["title"], RUNS, "{seen}");
    assert_eq!(seen["active_skills"][0]["name"], "attack", "{seen}");
    let export = format!("{path}/export");
    let export = person.ask("GET", &export, Value::Null).await.text;
    assert!(export.contains(RUNS), "{export}");
    let page = server.get(&format!("/chat/{id}")).await.text;
    assert!(
        page.contains(&format!("dir=\"auto\">{RUNS}</h1>")),
        "{page}"
    );
    person.decide(&question, "no").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_deleted_while_it_is_answered_stays_deleted() {
    let server = TestServer::new();
    let person = Person::on(&server);
    let id = person.begin(Value::Null).await;
    let question = person.asked(&id, "/attack run scripts/endless.sh").await;
    person.decide(&question, "once").await;
    person.wait(&id, "decided", 0).await;
    let path = format!("/sessions/{id}");
    let deleted = person.ask("DELETE", &path, Value::Null).await;
    assert_eq!(deleted.status, StatusCode::NO_CONTENT);
    // The turn ends when it notices, and would have kept how it ended.
    let start = std::time::Instant::now();
    while !server
        .get("/metrics")
        .await
        .text
        .contains("skillyard_turn_seconds_count{")
    {
        assert!(start.elapsed() < PATIENCE, "the turn does not end");
        tokio::task::yield_now().await;
    }
    let listed = person.ask("GET", "/sessions", Value::Null).await;
    assert_eq!(listed.json()["sessions"], json!([]));
    let found = person.ask("GET", &path, Value::Null).await;
    assert_eq!(found.status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_copied_exported_released_and_forgotten() {
    let server = TestServer::with_tokens();
    let person = Person::with(&server, CHAT);
    let id = person.begin(Value::Null).await;
    person.said(&id, "/pdf the form").await;
    let path = format!("/sessions/{id}");
    let fork = person
        .ask("POST", &format!("{path}/fork"), Value::Null)
        .await;
    let fork = fork.json()["id"].as_str().unwrap().to_owned();
    assert_ne!(fork, id);
    let release = format!("{path}/release");
    let released = person
        .ask("POST", &release, json!({ "skill": "pdf" }))
        .await;
    assert_eq!(released.json()["released"], true);
    let event = server
        .machine
        .events
        .lock()
        .unwrap()
        .last()
        .unwrap()
        .clone();
    assert_eq!(event.kind.as_str(), "skill.released");
    assert_eq!(event.detail["role"], "chat");
    let again = person
        .ask("POST", &release, json!({ "skill": "pdf" }))
        .await;
    assert_eq!(again.json()["released"], false);
    let get = async |id: &str| {
        let path = format!("/sessions/{id}");
        person.ask("GET", &path, Value::Null).await
    };
    assert_eq!(get(&id).await.json()["active_skills"], json!([]));
    assert_eq!(get(&fork).await.json()["active_skills"][0]["name"], "pdf");
    let export = person
        .ask("GET", &format!("{path}/export"), Value::Null)
        .await;
    assert_eq!(export.json()["messages"][0]["role"], "user");
    let deleted = person.ask("DELETE", &path, Value::Null).await;
    assert_eq!(deleted.status, StatusCode::NO_CONTENT);
    assert_eq!(get(&id).await.status, StatusCode::NOT_FOUND);
    assert_eq!(get(&fork).await.status, StatusCode::OK);
}

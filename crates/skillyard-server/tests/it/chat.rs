//! Talking: the agent answers, a person decides, and nobody reads what is not theirs.

mod access;
mod crowd;
mod logout;
mod sessions;

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::context::TestServer;

/// How long an event is waited for.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(20);
const RUNS: &str = "/attack run scripts/fill.sh";

/// Somebody who talks to a server.
struct Person<'a> {
    server: &'a TestServer,
    token: Option<&'a str>,
}

impl<'a> Person<'a> {
    fn on(server: &'a TestServer) -> Self {
        let token = None;
        Self { server, token }
    }

    fn with(server: &'a TestServer, token: &'a str) -> Self {
        let token = Some(token);
        Self { server, token }
    }

    async fn ask(&self, method: &str, path: &str, body: Value) -> crate::context::Answer {
        let token = self.token.map(|token| format!("Bearer {token}"));
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(
            token
                .as_ref()
                .map(|token| ("authorization", token.as_str())),
        );
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let path = format!("/api/v1{path}");
        self.server.ask(method, &path, &headers, body).await
    }

    async fn begin(&self, wish: Value) -> String {
        let opened = self.ask("POST", "/sessions", wish).await;
        assert_eq!(opened.status, StatusCode::CREATED, "{}", opened.text);
        opened.json()["id"].as_str().unwrap().to_owned()
    }

    async fn say(&self, id: &str, text: &str) -> StatusCode {
        let path = format!("/sessions/{id}/messages");
        self.ask("POST", &path, json!({ "text": text }))
            .await
            .status
    }

    async fn events(&self, id: &str) -> Vec<Value> {
        let history = self
            .ask("GET", &format!("/sessions/{id}"), Value::Null)
            .await;
        history.json()["events"].as_array().unwrap().clone()
    }

    /// Waits for an event of a kind, behind the first `known` ones.
    async fn wait(&self, id: &str, kind: &str, known: usize) -> Vec<Value> {
        let start = std::time::Instant::now();
        loop {
            assert!(start.elapsed() < PATIENCE, "no {kind} comes");
            let events = self.events(id).await;
            if events[known.min(events.len())..]
                .iter()
                .any(|event| event["type"] == kind)
            {
                return events;
            }
            tokio::task::yield_now().await;
        }
    }

    async fn said(&self, id: &str, text: &str) -> Vec<Value> {
        let known = self.events(id).await.len();
        assert_eq!(self.say(id, text).await, StatusCode::ACCEPTED);
        self.wait(id, "done", known).await.split_off(known)
    }

    /// Says something that is asked about, and gives the question's address.
    async fn asked(&self, id: &str, text: &str) -> String {
        let known = self.events(id).await.len();
        assert_eq!(self.say(id, text).await, StatusCode::ACCEPTED);
        let events = self.wait(id, "approval", known).await;
        let question = events.iter().rfind(|event| event["type"] == "approval");
        let question = question.unwrap()["question"]["id"].as_str().unwrap();
        format!("/sessions/{id}/approvals/{question}")
    }

    async fn decide(&self, question: &str, consent: &str) -> StatusCode {
        let body = json!({ "consent": consent });
        self.ask("POST", question, body).await.status
    }
}

fn tools(events: &[Value]) -> Vec<(&str, &str)> {
    let calls = events.iter().filter(|event| event["type"] == "tool_call");
    calls
        .map(|call| {
            let is_its =
                |event: &&Value| event["type"] == "tool_result" && event["id"] == call["id"];
            let result = events.iter().find(is_its).unwrap();
            let outcome = result["outcome"].as_str().unwrap();
            (call["name"].as_str().unwrap(), outcome)
        })
        .collect()
}

fn found<'a>(events: &'a [Value], kind: &str) -> &'a Value {
    let found = events.iter().find(|event| event["type"] == kind);
    found.unwrap_or_else(|| panic!("no {kind} in {events:?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_activates_its_skill_and_reads_what_it_speaks_of() {
    let server = TestServer::new();
    let person = Person::on(&server);
    let id = person.begin(Value::Null).await;
    let events = person.said(&id, "/pdf the form").await;
    assert_eq!(tools(&events), [("skill_read", "ok")]);
    let skill = found(&events, "skill");
    assert!(skill["content"].as_str().unwrap().contains("Do the form."));
    assert_eq!(found(&events, "active")["skills"][0]["name"], "pdf");
    assert_eq!(found(&events, "done")["reason"], "answered");
    let sessions = person.ask("GET", "/sessions", Value::Null).await.json();
    assert_eq!(sessions["sessions"][0]["id"], id.as_str());
    assert_eq!(sessions["sessions"][0]["title"], "/pdf the form");
    let recorded = server.machine.events.lock().unwrap();
    let kinds: Vec<&str> = recorded.iter().map(|event| event.kind.as_str()).collect();
    assert!(kinds.contains(&"skill.activated") && kinds.contains(&"skill.resource_read"));
    assert!(
        recorded
            .iter()
            .all(|event| event.session.as_deref() == Some(id.as_str()))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_activates_what_fits_best() {
    let server = TestServer::new();
    let person = Person::on(&server);
    let id = person.begin(json!({ "strategy": "tool" })).await;
    let events = person.said(&id, "please fill a pdf form").await;
    let names: Vec<&str> = tools(&events).iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["skill_search", "skill_load", "skill_read"]);
    assert_eq!(found(&events, "active")["skills"][0]["name"], "pdf");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_name_gets_a_proposal_and_the_session_lives() {
    let server = TestServer::new();
    let person = Person::on(&server);
    let id = person.begin(Value::Null).await;
    let events = person.said(&id, "/pfd").await;
    let text = found(&events, "problem")["text"].as_str().unwrap();
    assert!(text.contains("did you mean `pdf`"), "{text}");
    assert_eq!(tools(&person.said(&id, "/pdf x").await).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_runs_only_after_yes() {
    let server = TestServer::new();
    let person = Person::on(&server);
    let id = person.begin(Value::Null).await;
    for (consent, outcome) in [("no", "denied"), ("once", "ok"), ("session", "ok")] {
        let known = person.events(&id).await.len();
        let question = person.asked(&id, RUNS).await;
        assert_eq!(person.say(&id, "meanwhile").await, StatusCode::CONFLICT);
        assert_eq!(
            person.decide(&question, consent).await,
            StatusCode::ACCEPTED
        );
        let events = person.wait(&id, "done", known).await.split_off(known);
        assert_eq!(tools(&events), [("skill_run", outcome)], "{consent}");
        let decided = found(&events, "decided");
        assert_eq!(decided["consent"], consent);
        assert!(decided.get("unanswered").is_none(), "{decided}");
        let again = person.decide(&question, "once").await;
        assert_eq!(again, StatusCode::NOT_FOUND, "a question has one answer");
    }
    // Once it is allowed in the session, nobody is asked again.
    let events = person.said(&id, RUNS).await;
    assert_eq!(tools(&events), [("skill_run", "ok")]);
    assert!(!events.iter().any(|event| event["type"] == "approval"));
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_ends_scripts_and_questions() {
    let server = TestServer::new();
    let person = Person::on(&server);
    let id = person.begin(Value::Null).await;
    let stop = format!("/sessions/{id}/stop");
    person.asked(&id, RUNS).await;
    person.ask("POST", &stop, Value::Null).await;
    let events = person.wait(&id, "done", 0).await;
    assert_eq!(tools(&events), [("skill_run", "denied")]);
    let why = "the turn was stopped before anybody answered";
    assert_eq!(found(&events, "decided")["unanswered"], why);
    let known = events.len();
    let question = person.asked(&id, "/attack run scripts/endless.sh").await;
    person.decide(&question, "once").await;
    person.wait(&id, "decided", known).await;
    person.ask("POST", &stop, Value::Null).await;
    let events = person.wait(&id, "done", known).await;
    assert_eq!(events.last().unwrap()["reason"], "cancelled");
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_mean_something_in_the_terminal_mean_nothing_here() {
    let server = TestServer::new();
    let person = Person::on(&server);
    let id = person.begin(Value::Null).await;
    person.said(&id, "/pdf the form").await;
    for name in ["last", "s-", &id[..10], "%2e%2e", "%00", "..%2f..%2fetc"] {
        for (method, part) in [
            ("GET", ""),
            ("DELETE", ""),
            ("POST", "/fork"),
            ("GET", "/export"),
        ] {
            let answer = person
                .ask(method, &format!("/sessions/{name}{part}"), Value::Null)
                .await;
            assert_eq!(
                answer.status,
                StatusCode::NOT_FOUND,
                "{method} {name}{part}"
            );
        }
    }
    assert!(!person.events(&id).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_makes_no_sense_is_refused() {
    let server = TestServer::new();
    let person = Person::on(&server);
    let id = person.begin(Value::Null).await;
    for text in ["", "   ", &"x".repeat(25_001)] {
        assert_eq!(person.say(&id, text).await, StatusCode::BAD_REQUEST);
    }
    assert_eq!(person.say("none", "x").await, StatusCode::NOT_FOUND);
    let question = format!("/sessions/{id}/approvals/q0");
    assert_eq!(
        person.decide(&question, "once").await,
        StatusCode::NOT_FOUND
    );
    assert_eq!(
        person.decide(&question, "always").await,
        StatusCode::BAD_REQUEST
    );
    for wish in [
        json!({ "agent": "nobody" }),
        json!({ "model": "evil/model" }),
        json!({ "strategy": "luck" }),
        json!({ "owner": "me" }),
        json!([]),
    ] {
        let answer = person.ask("POST", "/sessions", wish.clone()).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{wish}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_goes_into_the_log_and_nothing_else_does() {
    let server = TestServer::new();
    let person = Person::on(&server);
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    for (parent, expected) in [
        (format!("00-{trace}-00f067aa0ba902b7-01"), Some(trace)),
        ("00-<script>-1-1".to_owned(), None),
    ] {
        server.machine.events.lock().unwrap().clear();
        let id = person.begin(Value::Null).await;
        let path = format!("/api/v1/sessions/{id}/messages");
        let headers = [
            ("content-type", "application/json"),
            ("traceparent", &parent),
        ];
        let body = json!({ "text": "/pdf x", "task": "t-7" }).to_string();
        server.ask("POST", &path, &headers, body).await;
        person.wait(&id, "done", 0).await;
        let events = server.machine.events.lock().unwrap();
        assert!(!events.is_empty());
        for event in events.iter() {
            assert_eq!(event.task.as_deref(), Some("t-7"));
            assert_eq!(event.detail.get("trace").map(String::as_str), expected);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn skills_are_counted_by_name() {
    let server = TestServer::new();
    let person = Person::on(&server);
    let id = person.begin(Value::Null).await;
    let question = person.asked(&id, RUNS).await;
    person.decide(&question, "once").await;
    person.wait(&id, "done", 0).await;
    let metrics = server.get("/metrics").await.text;
    for line in [
        "skillyard_skill_activations_total{skill=\"attack\"} 1",
        "skillyard_skill_script_runs_total{skill=\"attack\"} 1",
        "skillyard_skill_script_seconds_count{skill=\"attack\"} 1",
        "skillyard_turn_seconds_count{end=\"answered\"} 1",
    ] {
        assert!(
            metrics.lines().any(|each| each == line),
            "{line}\n{metrics}"
        );
    }
    let tokens = metrics
        .lines()
        .find_map(|line| line.strip_prefix("skillyard_skill_tokens_total{skill=\"attack\"} "));
    assert!(tokens.unwrap().parse::<u64>().unwrap() > 0);
}

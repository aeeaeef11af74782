//! What an organisation locked holds over HTTP as on the command line.

use std::io::Read as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::serve_chat::Serving;
use crate::{TestContext, output, text};

#[test]
fn nobody_talks_to_another_model_or_in_another_way() {
    let context = TestContext::new();
    context.write(
        "../home/org.toml",
        "locked = ['agents']\n[agents]\nmodel = 'offline'\n[models.far]\nurl = 'http://127.0.0.1:9/v1'\n",
    );
    let organised = || {
        let mut command = context.skillyard();
        command.env("SKILLYARD_ORG_CONFIG", context.in_home("org.toml"));
        command
    };
    let server = Serving::started(organised(), &[]);
    let post = |path: &str, body: &Value| server.ask_with("POST", path, "", body);
    let refused = |path: &str, body: Value| {
        let (status, text) = post(path, &body);
        assert_eq!(status, 400, "{body}: {text}");
        assert!(text.contains("agents."), "{body}: {text}");
    };
    refused("/api/v1/sessions", json!({ "model": "far/m" }));
    refused("/api/v1/sessions", json!({ "strategy": "router" }));
    refused("/api/v1/agents", json!({ "name": "one", "model": "far/m" }));
    refused(
        "/api/v1/agents",
        json!({ "name": "one", "strategy": "hybrid" }),
    );
    let (status, text) = post("/api/v1/agents", &json!({ "name": "one" }));
    assert_eq!(status, 201, "{text}");
    let change = json!({ "strategy": "router" });
    let (status, text) = server.ask_with("PUT", "/api/v1/agents/one", "", &change);
    assert_eq!(status, 400, "{text}");
    let (status, text) = post("/api/v1/sessions", &json!({ "agent": "one" }));
    assert_eq!(status, 201, "{text}");
    an_agent_of_before_is_refused(&context, organised());
}

#[test]
fn nobody_switches_skills_that_are_locked() {
    let context = TestContext::new();
    context.write("../home/org.toml", "locked = ['skills']\n");
    let mut command = context.skillyard();
    command.env("SKILLYARD_ORG_CONFIG", context.in_home("org.toml"));
    let server = Serving::started(command, &[]);
    for switch in ["disable", "enable"] {
        let path = format!("/api/v1/skills/skill-review/{switch}");
        let (status, text) = server.ask_with("POST", &path, "", &json!({}));
        assert_eq!(status, 400, "{text}");
        assert!(text.contains("`skills.disabled` is locked"), "{text}");
    }
    assert!(!context.in_home(".skillyard/config.toml").exists());
    let log = context.json(&["audit", "log", "--json"]).to_string();
    assert!(!log.contains("skill.disabled"), "{log}");
}

/// An agent that was made before the lock may not work otherwise either.
fn an_agent_of_before_is_refused(context: &TestContext, mut command: std::process::Command) {
    context.done(&["agent", "create", "two", "--strategy", "router"]);
    let told = output(command.args(["chat", "two", "-p", "hi"]));
    let told = text(&told.stderr);
    assert!(told.contains("agents.activation"), "{told}");
}

#[test]
fn a_policy_that_cannot_be_read_any_more_is_told() {
    let context = TestContext::new();
    context.write("../home/org.toml", "[skills]\ndeny = ['one']\n");
    let mut command = context.skillyard();
    command.env("SKILLYARD_ORG_CONFIG", context.in_home("org.toml"));
    let mut server = Serving::started(command, &[]);
    let admin = || server.ask_with("GET", "/admin", "", &Value::Null).1;
    let told = "sandbox.timeout";
    assert!(!admin().contains(told));
    context.write("../home/org.toml", "[sandbox]\ntimeout = 'soon'\n");
    let start = Instant::now();
    while !admin().contains(told) {
        assert!(start.elapsed() < Duration::from_secs(20), "{}", admin());
    }
    let (status, _) = server.ask_with("POST", "/api/v1/reload", "", &json!({}));
    assert_eq!(status, 500);
    context.write("../home/org.toml", "");
    let start = Instant::now();
    while admin().contains(told) {
        assert!(start.elapsed() < Duration::from_secs(20), "{}", admin());
    }
    server.child.kill().unwrap();
    let mut log = String::new();
    let mut stderr = server.child.stderr.take().unwrap();
    stderr.read_to_string(&mut log).unwrap();
    let lines = |what: &str| log.lines().filter(|line| line.contains(what)).count();
    assert_eq!(lines("looking for skills again failed: "), 1, "{log}");
    assert_eq!(lines("POST /api/v1/reload failed: "), 1, "{log}");
    // Both say what is wrong with it.
    assert_eq!(lines(told), 2, "{log}");
}

//! Chats over `skillyard serve` whose agents use MCP servers, and traces that others began.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::TestContext;
use crate::scripted_model::model;
use crate::serve_chat::Serving;
use crate::servers::http::{Reply, Server};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";

fn greet(lender: &TestContext, description: &str) {
    let body = format!("---\nname: greet\ndescription: {description}\n---\n\nSay BONJOUR.\n");
    lender.write("../home/.agents/skills/greet/SKILL.md", body);
}

/// A machine whose agent `clerk` uses a server that writes down each of its starts.
fn borrower(lender: &TestContext) -> (TestContext, PathBuf) {
    let context = TestContext::new();
    let starts = context.folder.path().join("starts");
    let line = format!(
        "echo $$ >> '{}'; exec '{}' mcp",
        starts.display(),
        env!("CARGO_BIN_EXE_skillyard")
    );
    let config = format!(
        "[mcp.servers.docs]\ncommand = '/bin/sh'\nargs = ['-c', {line:?}]\n[mcp.servers.docs.env]\nHOME = '{}'\n",
        lender.folder.path().join("home").display(),
    );
    context.write("../home/.skillyard/config.toml", config);
    let made = [
        "agent", "create", "clerk", "--model", "offline", "--mcp", "docs",
    ];
    assert_eq!(context.code(&made), Some(0));
    fs::remove_file(&starts).unwrap_or_default();
    (context, starts)
}

fn lines(file: &PathBuf) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_server_is_kept_between_turns_and_ends_with_us() {
    let lender = TestContext::new();
    greet(&lender, "Greets. Use for a greeting.");
    let (context, starts) = borrower(&lender);
    let mut serving = Serving::start(&context, &[]);
    let open = || {
        let opened = serving.json("POST", "/api/v1/sessions", &json!({ "agent": "clerk" }));
        opened["id"].as_str().unwrap().to_owned()
    };
    let id = open();
    for text in ["/docs:greet me", "and again", "/docs:greet once more"] {
        let session = serving.say(&id, text);
        assert_eq!(
            session["active_skills"][0]["name"], "docs:greet",
            "{session}"
        );
    }
    assert_eq!(lines(&starts).len(), 1, "one start for all turns");
    let threads = fs::read_dir(format!("/proc/{}/task", serving.child.id())).unwrap();
    let names = threads
        .flatten()
        .map(|each| lines(&each.path().join("comm")));
    let watching = names.filter(|name| *name == ["lent-servers"]).count();
    assert_eq!(watching, 1, "one for all turns looks who is idle");
    // Another session has a server of its own: what one learns is not for the other.
    serving.say(&open(), "/docs:greet me");
    let started = lines(&starts);
    assert_eq!(started.len(), 2);
    let running = |process: &String| PathBuf::from(format!("/proc/{process}")).exists();
    assert!(started.iter().all(running));
    let process = serving.child.id().to_string();
    assert!(
        context
            .command("kill")
            .arg(&process)
            .status()
            .unwrap()
            .success()
    );
    assert!(serving.child.wait().unwrap().success());
    let start = Instant::now();
    while started.iter().any(running) {
        assert!(start.elapsed() < Duration::from_secs(20), "it outlives us");
        std::thread::yield_now();
    }
}

#[test]
fn a_session_with_published_skills_is_made_again_to_the_byte() {
    let lender = TestContext::new();
    greet(&lender, "Greets. Use for a greeting.");
    let (context, _) = borrower(&lender);
    let serving = Serving::start(&context, &[]);
    let opened = serving.json("POST", "/api/v1/sessions", &json!({ "agent": "clerk" }));
    let id = opened["id"].as_str().unwrap();
    serving.say(id, "/docs:greet me");
    let path = format!("/api/v1/audit/replay/{id}");
    let replayed = || serving.json("GET", &path, &Value::Null);
    assert_eq!(replayed()["same"], true, "{}", replayed());
    // The server has another greeting now, and somebody has seen it; the session has not.
    greet(&lender, "Greets otherwise. Use for another greeting.");
    let opened = serving.json("POST", "/api/v1/sessions", &json!({ "agent": "clerk" }));
    serving.say(opened["id"].as_str().unwrap(), "/docs:greet me");
    assert_eq!(replayed()["same"], true, "{}", replayed());
    assert!(context.stdout(&["audit", "replay", id]).starts_with('✓'));
    // What is not there any more is named.
    fs::remove_dir_all(context.folder.path().join("home/.skillyard/mcp")).unwrap();
    let gone = replayed();
    assert_eq!(gone["same"], false);
    let what = gone["divergence"].as_str().unwrap();
    assert!(
        what.starts_with("the catalog differs: `docs:greet`, ")
            && what.ends_with(" cannot be loaded any more"),
        "{what}"
    );
}

/// The spans that a receiver got, once there is one like this.
fn spans(receiver: &Server, is_it: impl Fn(&Value) -> bool) -> Vec<Value> {
    let start = Instant::now();
    loop {
        let mut found = Vec::new();
        for asked in receiver.asked() {
            let body: Value = serde_json::from_slice(&asked.body).unwrap();
            let spans = &body["resourceSpans"][0]["scopeSpans"][0]["spans"];
            found.extend(spans.as_array().unwrap().clone());
        }
        if found.iter().any(&is_it) {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{found:?}");
        std::thread::yield_now();
    }
}

#[test]
fn what_happens_here_belongs_to_the_span_of_who_asked() {
    let receiver = Server::start(|_| Reply::ok("{}"));
    let context = TestContext::new();
    context.skill("../home/.agents/skills/pdf", "Fills PDF forms");
    let endpoint = format!("[telemetry]\nendpoint = '{}'\n", receiver.url("/otel"));
    context.write("../home/.skillyard/config.toml", endpoint);
    let serving = Serving::start(&context, &[]);
    let parent = format!("traceparent: 00-{TRACE}-{SPAN}-01\r\n");
    let opened = serving.json("POST", "/api/v1/sessions", &Value::Null);
    let id = opened["id"].as_str().unwrap();
    let path = format!("/api/v1/sessions/{id}/messages");
    let said = json!({ "text": "/pdf the form" });
    assert_eq!(serving.ask_with("POST", &path, &parent, &said).0, 202);
    let found = spans(&receiver, |span| span["name"] == "invoke_agent skillyard");
    let root = &found[0];
    assert_eq!(
        (&root["traceId"], &root["parentSpanId"]),
        (&json!(TRACE), &json!(SPAN))
    );
    assert!(
        found.iter().all(|span| span["traceId"] == TRACE),
        "{found:?}"
    );
    // A call over MCP, with the span in its `_meta`.
    let other = "b7ad6b7169203331";
    let call = |tool: &str, parent: &str| {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
            "traceparent": parent,
        });
        let params = json!({ "name": tool, "arguments": { "name": "pdf" }, "_meta": meta });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let headers = format!(
            "accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: {tool}\r\n"
        );
        let (status, text) = serving.ask_with("POST", "/mcp", &headers, &body);
        assert_eq!(status, 200, "{text}");
    };
    call("skill_load", &format!("00-{TRACE}-{other}-01"));
    let found = spans(&receiver, |span| span["parentSpanId"] == other);
    let span = found.last().unwrap();
    assert_eq!(span["name"], "execute_tool skill_load pdf");
    assert_eq!(
        (&span["traceId"], &span["kind"]),
        (&json!(TRACE), &json!(2))
    );
    // What is no span of anybody's is a trace of its own; what nobody keeps is none.
    call("skill_files", &format!("00-{TRACE}-{other}-00"));
    call("skill_files", "00-nonsense");
    let is_files = |span: &Value| span["name"] == "execute_tool skill_files pdf";
    let found = spans(&receiver, is_files);
    let files: Vec<&Value> = found.iter().filter(|span| is_files(span)).collect();
    assert_eq!(files.len(), 1);
    assert!(files[0]["parentSpanId"].is_null() && files[0]["traceId"] != TRACE);
}

#[test]
fn a_model_is_asked_once_how_it_calls_tools_as_in_the_terminal() {
    let context = TestContext::new();
    let answer = |text: &str| json!({ "content": text });
    // It calls no tool and keeps to no shape, so that only text is left.
    let (url, asked) = model(vec![
        answer("x"),
        answer("x"),
        answer("Hello."),
        answer("Again."),
    ]);
    let config =
        format!("[agents]\nmodel = 'mock/m'\n[models.mock]\nurl = '{url}'\napi = 'openai-chat'\n");
    context.write("../home/.skillyard/config.toml", config);
    let serving = Serving::start(&context, &[]);
    let opened = serving.json("POST", "/api/v1/sessions", &Value::Null);
    let id = opened["id"].as_str().unwrap();
    let session = serving.say(id, "hello");
    let notes: Vec<&str> = session["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["type"] == "note")
        .map(|event| event["text"].as_str().unwrap())
        .collect();
    assert!(notes[0].starts_with("Asking mock/m once"), "{session}");
    assert_eq!(notes[1], "It calls tools as `text`; this is remembered.");
    assert_eq!(asked.lock().unwrap().len(), 3);
    let told = context.stdout(&["chat", "-p", "hello again", "--json"]);
    assert!(told.contains("Again."), "{told}");
    assert_eq!(asked.lock().unwrap().len(), 4, "the terminal knows it, too");
    let replayed = serving.json("GET", &format!("/api/v1/audit/replay/{id}"), &Value::Null);
    assert_eq!(replayed["same"], true, "{replayed}");
}

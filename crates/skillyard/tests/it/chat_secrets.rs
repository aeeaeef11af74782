//! Keys and tokens that servers quote: nobody is shown them over HTTP, and no model reads them.

use serde_json::{Value, json};

use crate::scripted_model::{call, model};
use crate::serve_chat::Serving;
use crate::servers::http::{Asked, Reply, Server};
use crate::{TestContext, output};

const KEY: &str = "key-0123456789-secret";
const TOKEN: &str = "tok-9876543210-secret";

/// Everything that can be read of a session with an agent after a message.
fn shown(serving: &Serving, agent: &str) -> String {
    let session = serving.json("POST", "/api/v1/sessions", &json!({ "agent": agent }));
    let id = session["id"].as_str().unwrap().to_owned();
    let session = serving.say(&id, "hello");
    let (status, export) = serving.ask_with(
        "GET",
        &format!("/api/v1/sessions/{id}/export"),
        "",
        &Value::Null,
    );
    assert_eq!(status, 200);
    format!("{session}{export}")
}

#[test]
fn a_key_that_stands_in_an_error_inside_a_stream_is_not_shown() {
    let server = Server::start(|asked: &Asked| {
        let error = json!({ "error": { "type": "auth", "message": format!("Received API Key = {}", asked.header("authorization")) } });
        Reply::ok(format!("data: {error}\n\n")).header("Content-Type", "text/event-stream")
    });
    let context = TestContext::new();
    let config = format!(
        "[models.m]\nurl = '{}'\nkey = '{KEY}'\ntool_mode = 'native'\n",
        server.url("/v1")
    );
    context.write("../home/.skillyard/config.toml", config);
    assert_eq!(
        context.code(&["agent", "create", "a", "--model", "m/x"]),
        Some(0)
    );
    let shown = shown(&Serving::start(&context, &[]), "a");
    assert!(
        shown.contains("Received API Key") && !shown.contains(KEY),
        "{shown}"
    );
}

#[test]
fn a_token_that_an_mcp_server_quotes_is_not_shown_and_goes_to_no_model() {
    let server = Server::start(|asked: &Asked| {
        if asked.method != "POST" {
            return Reply::status(405);
        }
        let message: Value = serde_json::from_slice(&asked.body).unwrap();
        let id = &message["id"];
        let result = match message["method"].as_str().unwrap() {
            "initialize" => {
                json!({ "protocolVersion": "2025-06-18", "capabilities": { "tools": {} } })
            }
            "tools/list" => json!({ "tools": [{ "name": "t" }] }),
            "tools/call" => {
                let token = asked.header("authorization").rsplit(' ').next().unwrap();
                let error = json!({ "code": -32001, "message": format!("not valid: {token}") });
                return Reply::json(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
            }
            _ => return Reply::status(400),
        };
        Reply::json(&json!({ "jsonrpc": "2.0", "id": id, "result": result }))
    });
    let (url, asked) = model(vec![
        json!({ "tool_calls": [call("c1", "mcp__leak__t", &json!({}))] }),
        json!({ "content": "It failed." }),
    ]);
    let context = TestContext::new();
    let config = format!(
        "[models.m]\nurl = '{url}'\ntool_mode = 'native'\n\
         [mcp.servers.leak]\nurl = '{}'\napproval = 'never'\n\
         [mcp.servers.leak.headers]\nAuthorization = 'Bearer {TOKEN}'\n",
        server.url("/mcp")
    );
    context.write("../home/.skillyard/config.toml", config);
    let create = ["agent", "create", "a", "--model", "m/x", "--mcp", "leak"];
    assert_eq!(context.code(&create), Some(0));
    let shown = shown(&Serving::start(&context, &[]), "a");
    assert!(
        shown.contains("not valid: ") && !shown.contains(TOKEN),
        "{shown}"
    );
    let asked = json!(*asked.lock().unwrap()).to_string();
    assert!(
        asked.contains("not valid: ") && !asked.contains(TOKEN),
        "{asked}"
    );
}

#[test]
fn a_key_that_comes_a_letter_at_a_time_is_not_shown() {
    let server = Server::start(|asked: &Asked| {
        let said = format!("Your key: {} end.", asked.header("authorization"));
        let piece = |letter: char| {
            let delta = json!({ "choices": [{ "index": 0, "delta": { "content": letter } }] });
            format!("data: {delta}\n\n")
        };
        let pieces: String = said.chars().map(piece).collect();
        let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
        Reply::ok(format!("{pieces}data: {end}\n\ndata: [DONE]\n\n"))
            .header("Content-Type", "text/event-stream")
    });
    let context = TestContext::new();
    let config = format!(
        "[models.m]\nurl = '{}'\nkey = '{KEY}'\ntool_mode = 'native'\n",
        server.url("/v1")
    );
    context.write("../home/.skillyard/config.toml", config);
    let create = ["agent", "create", "a", "--model", "m/x"];
    assert_eq!(context.code(&create), Some(0));
    let mut all = shown(&Serving::start(&context, &[]), "a");
    for format in ["text", "json", "stream-json"] {
        let chat = ["chat", "--model", "m/x", "-p", "hi"];
        let told = context.tell(&[&chat[..], &["--output-format", format]].concat());
        all.push_str(&told);
    }
    // Pieces are put together as whoever reads them would.
    let joined = all.replace("\"}\n{\"type\":\"text\",\"delta\":\"", "");
    assert!(joined.contains("Your key: Bearer …redacted end."), "{all}");
    assert!(!joined.contains(KEY), "{all}");
}

#[test]
fn no_model_reads_a_workspace_that_holds_the_home_or_our_own_files() {
    let context = TestContext::new();
    context.write("../home/.ssh/id_rsa", "PRIVATE-KEY");
    context.write("../home/.skillyard/config.toml", "# PRIVATE-KEY\n");
    context.write("../home/project/notes.md", "NOTES");
    for (folder, read) in [
        ("home", ".ssh/id_rsa"),
        ("", "home/.ssh/id_rsa"),
        ("home/.skillyard", "config.toml"),
    ] {
        let (url, asked) = model(vec![
            json!({ "tool_calls": [call("a", "Read", &json!({ "path": read }))] }),
            json!({ "tool_calls": [call("b", "Grep", &json!({ "pattern": "PRIVATE", "path": read }))] }),
            json!({ "tool_calls": [call("c", "Glob", &json!({ "pattern": "**/.ssh/*" }))] }),
            json!({ "content": "Done." }),
        ]);
        let folder = context.root().parent().unwrap().join(folder);
        let mut command = context.skillyard();
        command.args(["--config", &format!("models.test.url={url}")]);
        command.args(["--config", "models.test.tool_mode=native"]);
        command.args(["chat", "--model", "test/m", "-p", "go", "--workspace"]);
        assert!(output(command.arg(&folder)).status.success());
        let asked = asked.lock().unwrap();
        let sent = json!(asked.last().unwrap()["messages"]).to_string();
        let refused = sent.matches("nothing can be read: ").count();
        assert_eq!(refused, 3, "{sent}");
        assert!(!sent.contains("PRIVATE-KEY"), "{sent}");
        assert!(!sent.contains(".ssh/id_rsa\\n"), "{sent}");
    }
    let (url, asked) = model(vec![
        json!({ "tool_calls": [call("a", "Read", &json!({ "path": "notes.md" }))] }),
        json!({ "content": "Done." }),
    ]);
    let mut command = context.skillyard();
    command.args(["--config", &format!("models.test.url={url}")]);
    command.args(["--config", "models.test.tool_mode=native"]);
    command.args(["chat", "--model", "test/m", "-p", "go", "--workspace"]);
    assert!(
        output(command.arg(context.in_home("project")))
            .status
            .success()
    );
    assert!(asked.lock().unwrap()[1].to_string().contains("NOTES"));
}

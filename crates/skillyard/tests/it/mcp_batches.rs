//! Batches of messages over standard input, which revision 2025-03-26 has and no other.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::TestContext;

/// A server and what is said to it.
struct Server {
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Server {
    fn speaking(context: &TestContext, revision: &str) -> Self {
        let mut command = context.skillyard();
        command.arg("mcp");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut server = Self {
            child,
            input,
            lines,
        };
        let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": revision, "capabilities": {},
            "clientInfo": { "name": "t", "version": "1" },
        } });
        assert_eq!(server.ask(&hello)["result"]["protocolVersion"], revision);
        server.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    fn ask(&mut self, message: &Value) -> Value {
        self.say(message);
        serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap()
    }

    fn end(mut self) {
        drop(self.input);
        assert!(self.child.wait().unwrap().success());
    }
}

fn ping(id: u32) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "ping" })
}

#[test]
fn the_answers_to_a_batch_are_one() {
    let context = TestContext::new();
    let mut server = Server::speaking(&context, "2025-03-26");
    let cancelled = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 99 } });
    let list = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/list" });
    let answers = server.ask(&json!([ping(2), cancelled, list, 7]));
    let mut answers = answers.as_array().unwrap().clone();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!(answers.len(), 3, "{answers:?}");
    assert_eq!(answers[0]["error"]["code"], -32600);
    assert_eq!(
        answers[1],
        json!({ "jsonrpc": "2.0", "id": 2, "result": {} })
    );
    assert!(answers[2]["result"]["tools"].is_array(), "{answers:?}");
    // Nothing that wants an answer has none, and what is alone is answered alone.
    server.say(&json!([cancelled]));
    assert_eq!(server.ask(&ping(4))["id"], 4);
    assert_eq!(server.ask(&json!([]))["error"]["code"], -32600);
    let wrong = server.ask(&json!([1, 2]));
    assert_eq!(wrong.as_array().map(Vec::len), Some(2), "{wrong}");
    server.end();
}

#[test]
fn every_request_with_the_same_id_has_an_answer() {
    let context = TestContext::new();
    let mut server = Server::speaking(&context, "2025-03-26");
    let float = json!({ "jsonrpc": "2.0", "id": 2.0, "method": "ping" });
    let answers = server.ask(&json!([ping(2), float]));
    assert_eq!(answers.as_array().map(Vec::len), Some(2), "{answers}");
    let pings = format!("{0}\n[{0}]\n[{0},{1}]\n", ping(9), ping(10));
    server.input.write_all(pings.as_bytes()).unwrap();
    for _ in 0..3 {
        server.lines.next().unwrap().unwrap();
    }
    assert_eq!(server.ask(&ping(9))["result"], json!({}));
    server.end();
}

#[test]
fn other_revisions_have_none() {
    let context = TestContext::new();
    let mut server = Server::speaking(&context, "2025-06-18");
    let refused = server.ask(&json!([ping(2)]));
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    assert_eq!(server.ask(&ping(3))["id"], 3);
    server.end();
}

//! Batches of messages over standard input get an error, also in revision 2025-03-26, which has them.

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
fn batches_get_an_error() {
    for revision in ["2025-03-26", "2025-06-18"] {
        let context = TestContext::new();
        let mut server = Server::speaking(&context, revision);
        for batch in [json!([ping(2)]), json!([]), json!([1, 2])] {
            let refused = server.ask(&batch);
            assert_eq!(refused["error"]["code"], -32600, "{refused}");
        }
        assert_eq!(server.ask(&ping(3))["id"], 3);
        server.end();
    }
}

//! A client of `skillyard mcp` that speaks line by line.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::TestContext;

/// A client that speaks the older protocol line by line, and can ask its user.
pub(crate) struct Raw {
    pub(crate) child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    id: u64,
    /// Notifications that came before an answer.
    told: Vec<Value>,
}

impl Raw {
    pub(crate) fn start(context: &TestContext, flags: &[&str], capabilities: &Value) -> Self {
        let mut command = context.skillyard();
        command.arg("mcp").args(flags).env("MY_SECRET", "x");
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut raw = Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            id: 1,
            told: Vec::new(),
        };
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": { "name": "raw", "version": "1" } });
        // Over the stateless protocol nobody says hello.
        if !capabilities.is_null() {
            raw.ask("initialize", &hello, &json!(null));
            raw.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        }
        raw
    }

    pub(crate) fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    /// The next message.
    fn next(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "it ended");
        serde_json::from_str(&line).unwrap()
    }

    /// Forgets the notifications that have come.
    pub(crate) fn forget(&mut self) {
        self.told.clear();
    }

    /// Waits for a notification, unless it has come already.
    pub(crate) fn hear(&mut self, method: &str) {
        let told = std::mem::take(&mut self.told);
        if !told.iter().any(|message| message["method"] == method) {
            while self.next()["method"] != method {}
        }
    }

    /// What a tool says.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> String {
        let params = json!({ "name": tool, "arguments": arguments });
        let result = self.ask("tools/call", &params, &Value::Null);
        let text = result["content"][0]["text"].as_str();
        text.unwrap_or_default().to_owned()
    }

    /// The text of a resource, or why it is not given.
    pub(crate) fn resource(&mut self, uri: &str) -> Result<String, String> {
        let answer = self.answer("resources/read", &json!({ "uri": uri }), &Value::Null);
        let told = |text: &Value| text.as_str().map(str::to_owned);
        let text = told(&answer["result"]["contents"][0]["text"]);
        text.ok_or_else(|| told(&answer["error"]["message"]).unwrap())
    }

    /// What came of a request; a question on the way is answered with `said`.
    pub(crate) fn ask(&mut self, method: &str, params: &Value, said: &Value) -> Value {
        self.answer(method, params, said)["result"].clone()
    }

    /// The same, or the error.
    fn answer(&mut self, method: &str, params: &Value, said: &Value) -> Value {
        let id = self.id;
        self.id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.next();
            if message["method"] == "elicitation/create" {
                let question = message["params"]["message"].as_str().unwrap();
                assert!(
                    question.contains("`runs` wants to run `scripts/x.sh a b`"),
                    "{question}"
                );
                self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": said }));
            } else if message["id"] == id {
                return message;
            } else {
                self.told.push(message);
            }
        }
    }

    pub(crate) fn run(&mut self, said: &Value) -> String {
        let arguments = json!({ "name": "runs", "script": "scripts/x.sh", "args": ["a", "b"] });
        let params = json!({ "name": "skill_run", "arguments": arguments });
        let result = self.ask("tools/call", &params, said);
        result["content"][0]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

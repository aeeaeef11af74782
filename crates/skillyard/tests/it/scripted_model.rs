//! A model that gives the answers a test wrote.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::TestContext;

/// A server that gives these answers in order, as Chat Completions, and keeps the requests. One that
/// is not whole has the `finish_reason` in it.
pub(crate) fn model(answers: Vec<Value>) -> (String, Arc<Mutex<Vec<Value>>>) {
    model_that(answers, |_| {})
}

/// The same, which does something before it gives an answer, by how many are left.
pub(crate) fn model_that(
    answers: Vec<Value>,
    mut meanwhile: impl FnMut(usize) + Send + 'static,
) -> (String, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let asked: Arc<Mutex<Vec<Value>>> = Arc::default();
    let seen = Arc::clone(&asked);
    let mut answers: VecDeque<Value> = answers.into();
    std::thread::spawn(move || {
        while let Some(mut delta) = answers.pop_front() {
            let (mut connection, _) = listener.accept().unwrap();
            let body = request(&connection);
            seen.lock()
                .unwrap()
                .push(serde_json::from_slice(&body).unwrap());
            meanwhile(answers.len());
            let reason = match delta["finish_reason"].take() {
                Value::Null => json!("stop"),
                reason => reason,
            };
            let chunk =
                json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] });
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\ndata: {chunk}\n\ndata: [DONE]\n\n"
            );
            connection.write_all(answer.as_bytes()).unwrap();
        }
    });
    (url, asked)
}

/// Reads a whole request; what was sent with it.
pub(crate) fn request(connection: &TcpStream) -> Vec<u8> {
    let mut reader = BufReader::new(connection);
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line).unwrap() > 2 {
        if let Some(value) = line.to_lowercase().strip_prefix("content-length: ") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    body
}

/// An answer that calls a tool.
pub(crate) fn call(id: &str, tool: &str, arguments: &Value) -> Value {
    json!({ "index": 0, "id": id, "type": "function", "function": { "name": tool, "arguments": arguments.to_string() } })
}

/// What a chat tells programs in which a model gives these answers; and what the model was asked.
pub(crate) fn chat(
    context: &TestContext,
    answers: Vec<Value>,
    more: &[&str],
) -> (Value, Arc<Mutex<Vec<Value>>>) {
    let (url, asked) = model(answers);
    context.done(&["config", "set", "models.mock.url", &url]);
    let chat = ["chat", "--model", "mock/m", "--tool-mode", "native"];
    let said = context.json(&[&chat[..], &["-p", "Run it.", "--json"], more].concat());
    (said, asked)
}

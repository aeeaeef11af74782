//! Messages over standard input and output, one per line.
//!
//! `rmcp` answers a message that it cannot parse without its id, or not at all, so that the client
//! waits forever. Here each invalid request gets an error with its id.

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::RequestId;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize as _;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite,
    AsyncWriteExt as _, BufReader,
};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;

/// The longest message.
const MAX_MESSAGE_BYTES: u64 = 16 * 1024 * 1024;
/// How many messages wait for the handler.
const MAX_WAITING: usize = 16;

/// Where answers are written, until the connection is closed.
type Out<W> = Arc<Mutex<Option<W>>>;

/// A transport of one message per line.
pub(super) struct Lines<W> {
    messages: mpsc::Receiver<RxJsonRpcMessage<RoleServer>>,
    out: Out<W>,
    reading: JoinHandle<()>,
}

/// A parsed line.
#[derive(Debug)]
enum Understood {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// An invalid message, and the error to answer it with.
    Wrong(Value),
    /// An invalid message that gets no answer.
    Nothing,
}

impl<W: AsyncWrite + Unpin + Send + 'static> Lines<W> {
    /// A transport that reads from `input` and writes to `output`.
    pub(super) fn new(input: impl AsyncRead + Unpin + Send + 'static, output: W) -> Self {
        let (sender, messages) = mpsc::channel(MAX_WAITING);
        let out = Arc::new(Mutex::new(Some(output)));
        let answers = Arc::clone(&out);
        // In a task of its own: `receive` may be canceled in the middle of a line.
        let reading = tokio::spawn(async move {
            let mut input = BufReader::new(input);
            while let Some(line) = next(&mut input).await {
                match understood(line.as_deref()) {
                    Understood::Message(message) => {
                        if sender.send(*message).await.is_err() {
                            return;
                        }
                    }
                    Understood::Wrong(answer) => {
                        if write(&answers, &answer).await.is_err() {
                            return;
                        }
                    }
                    Understood::Nothing => {}
                }
            }
        });
        Self {
            messages,
            out,
            reading,
        }
    }
}

impl<W: AsyncWrite + Unpin + Send + 'static> Transport<RoleServer> for Lines<W> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let out = Arc::clone(&self.out);
        async move { write(&out, &message).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.reading.abort();
        self.out.lock().await.take();
        Ok(())
    }
}

async fn write<W: AsyncWrite + Unpin>(
    out: &Out<W>,
    message: &impl serde::Serialize,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut out = out.lock().await;
    let out = out.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    out.write_all(&line).await?;
    out.flush().await
}

/// The next line, `Some(None)` if it is too long, `None` at the end.
async fn next(input: &mut (impl AsyncBufRead + Unpin)) -> Option<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let mut limited = (&mut *input).take(MAX_MESSAGE_BYTES);
    let read = limited.read_until(b'\n', &mut line).await;
    read.ok().filter(|size| *size > 0)?;
    if line.ends_with(b"\n") {
        return Some(Some(line));
    }
    // A line without its end is too long or incomplete.
    loop {
        let here = input.fill_buf().await.ok()?;
        let end = here.iter().position(|byte| *byte == b'\n');
        let size = here.len();
        if size == 0 {
            return None;
        }
        input.consume(end.map_or(size, |end| end + 1));
        if end.is_some() {
            return Some(None);
        }
    }
}

/// The error for a body that is not a valid message.
pub(super) fn complaint(text: &[u8]) -> Value {
    match understood(Some(text)) {
        Understood::Wrong(answer) => answer,
        Understood::Message(_) | Understood::Nothing => {
            error(-32600, "this is no message of MCP", &Value::Null)
        }
    }
}

fn error(code: i32, message: &str, id: &Value) -> Value {
    let error = json!({ "code": code, "message": message });
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

/// Parses a line or a body.
fn understood(line: Option<&[u8]>) -> Understood {
    let wrong = |code, message, id| Understood::Wrong(error(code, message, &id));
    let Some(line) = line else {
        return wrong(-32600, "the message is longer than 16 MiB", Value::Null);
    };
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if line.trim_ascii().is_empty() {
        return Understood::Nothing;
    }
    let Ok(value) = serde_json::from_slice::<Value>(line) else {
        return wrong(-32700, "the message is no JSON", Value::Null);
    };
    if value.is_array() {
        return wrong(-32600, "batches of messages are not supported", Value::Null);
    }
    message(value)
}

/// The id of a request, if it can be one: `1.0` is `1`.
fn id(value: &Value) -> Value {
    let id = value
        .get("id")
        .and_then(|id| RequestId::deserialize(id).ok());
    id.map(RequestId::into_json_value).unwrap_or_default()
}

fn message(value: Value) -> Understood {
    // Only requests are answered: two peers that answer each other's errors never stop.
    let has = |key: &str| value.get(key).is_some();
    let is_request = !has("result") && !has("error") && (has("id") || !has("method"));
    let id = id(&value);
    match serde_json::from_value(value) {
        Ok(message) => Understood::Message(Box::new(message)),
        Err(_) if is_request => {
            Understood::Wrong(error(-32600, "the message is no request of MCP", &id))
        }
        Err(_) => Understood::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code and the number of the answer to what is wrong.
    fn answer(line: &str) -> Option<(i32, Value)> {
        match understood(Some(line.as_bytes())) {
            Understood::Wrong(answer) => Some((
                i32::try_from(answer["error"]["code"].as_i64().unwrap()).unwrap(),
                answer["id"].clone(),
            )),
            _ => None,
        }
    }

    #[test]
    fn what_is_wrong_has_an_answer_with_its_id() {
        assert_eq!(answer("{"), Some((-32700, Value::Null)));
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}}"#,
            "[".repeat(100_000)
        );
        assert_eq!(answer(&deep), Some((-32700, Value::Null)));
        for (line, id) in [
            ("[]", Value::Null),
            ("7", Value::Null),
            (r#"{"id":9}"#, json!(9)),
            (r#"{"id":9.0}"#, json!(9)),
            (r#"{"jsonrpc":"2.0","id":"a","params":{}}"#, json!("a")),
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[1]}"#,
                json!(7),
            ),
            (
                r#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#,
                Value::Null,
            ),
        ] {
            assert_eq!(answer(line), Some((-32600, id)));
        }
    }

    #[test]
    fn what_asks_for_nothing_has_none() {
        for line in [
            "",
            "  ",
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}"#,
        ] {
            assert_eq!(answer(line), None);
        }
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_passed_over() {
        let long = vec![b'x'; usize::try_from(MAX_MESSAGE_BYTES).unwrap() + 5];
        let input = [long.as_slice(), b"\nshort\nnot whole"].concat();
        let mut input = BufReader::new(input.as_slice());
        assert_eq!(next(&mut input).await, Some(None));
        assert_eq!(next(&mut input).await, Some(Some(b"short\n".to_vec())));
        assert_eq!(next(&mut input).await, None);
    }
}

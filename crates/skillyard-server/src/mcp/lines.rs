//! Messages over standard input and output, one a line.
//!
//! The library's own transport answers what it cannot understand without saying what it answers,
//! or not at all; a client then waits for good. Here each request has an answer with its id, and
//! what is no request has one without, as JSON-RPC wants it.

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{JsonRpcMessage, RequestId};
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

use super::batch::{Batches, MOST, Said};

/// The longest message.
const LONGEST: u64 = 16 * 1024 * 1024;
/// How many messages wait to be answered.
const WAITING: usize = 16;

/// Where answers go, until nobody reads them any more.
type Out<W> = Arc<Mutex<Option<W>>>;

/// Messages of a client, one a line.
pub(super) struct Lines<W> {
    messages: mpsc::Receiver<RxJsonRpcMessage<RoleServer>>,
    out: Out<W>,
    batches: Arc<Batches>,
    reading: JoinHandle<()>,
}

/// What a line is.
#[derive(Debug)]
pub(super) enum Understood {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// Several messages.
    Batch(Vec<Value>),
    /// No message, and this is said about it.
    Wrong(Value),
    /// Nothing that wants an answer.
    Nothing,
}

impl<W: AsyncWrite + Unpin + Send + 'static> Lines<W> {
    /// Reads what a client writes, and answers to it.
    pub(super) fn new(input: impl AsyncRead + Unpin + Send + 'static, output: W) -> Self {
        let (sender, messages) = mpsc::channel(WAITING);
        let out = Arc::new(Mutex::new(Some(output)));
        let answers = Arc::clone(&out);
        let batches = Arc::new(Batches::default());
        let begun = Arc::clone(&batches);
        // On a task of its own, because whoever waits for a message may stop waiting within a line.
        let reading = tokio::spawn(async move {
            let mut input = BufReader::new(input);
            while let Some(line) = next(&mut input).await {
                let (messages, answer) = match understood(line.as_deref()) {
                    Understood::Message(message) => begun.alone(*message),
                    Understood::Batch(batch) if begun.are_spoken() => begun.begin(batch),
                    Understood::Batch(_) => (Vec::new(), Some(unspoken())),
                    Understood::Wrong(answer) => (Vec::new(), Some(answer)),
                    Understood::Nothing => continue,
                };
                for message in messages {
                    if sender.send(message).await.is_err() {
                        return;
                    }
                }
                if let Some(answer) = answer
                    && write(&answers, &answer).await.is_err()
                {
                    return;
                }
            }
        });
        Self {
            messages,
            out,
            batches,
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
        let said = self.batches.said(&message);
        async move {
            match said {
                Said::Alone => write(&out, &message).await,
                Said::Later => Ok(()),
                Said::Whole(answers) => write(&out, &answers).await,
            }
        }
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

/// The next line, or nothing where it is too long; `None` at the end.
async fn next(input: &mut (impl AsyncBufRead + Unpin)) -> Option<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let mut limited = (&mut *input).take(LONGEST);
    let read = limited.read_until(b'\n', &mut line).await;
    read.ok().filter(|size| *size > 0)?;
    if line.ends_with(b"\n") {
        return Some(Some(line));
    }
    // What ends without a line break was not written to its end, or goes on for too long.
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

/// What is said about what is no message.
pub(super) fn complaint(text: &[u8]) -> Value {
    match understood(Some(text)) {
        Understood::Wrong(answer) => answer,
        Understood::Batch(_) => unspoken(),
        Understood::Message(_) | Understood::Nothing => {
            error(-32600, "this is no message of MCP", &Value::Null)
        }
    }
}

/// What is said about a batch where there are none.
fn unspoken() -> Value {
    let text = "the message is a list, and only sessions of revision 2025-03-26 have batches";
    error(-32600, text, &Value::Null)
}

pub(super) fn error(code: i32, message: &str, id: &Value) -> Value {
    let error = json!({ "code": code, "message": message });
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

/// What a line or a body is.
pub(super) fn understood(line: Option<&[u8]>) -> Understood {
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
    match value {
        Value::Array(batch) if batch.is_empty() => {
            wrong(-32600, "the batch has no messages", Value::Null)
        }
        Value::Array(batch) if batch.len() > MOST => {
            let text = format!(
                "the batch has {} messages, and {MOST} are the most",
                batch.len()
            );
            wrong(-32600, &text, Value::Null)
        }
        Value::Array(batch) => Understood::Batch(batch),
        value => alone(value),
    }
}

/// What a message of a batch is, whose requests before it had these ids: one that stands twice would
/// have one answer, and whoever waits for the second waits for good.
pub(super) fn element(value: Value, before: &mut Vec<RequestId>) -> Understood {
    if value["method"] == "initialize" {
        let text = "`initialize` stands in no batch";
        return Understood::Wrong(error(-32600, text, &id(&value)));
    }
    let own = id(&value);
    let understood = alone(value);
    if let Understood::Message(message) = &understood
        && let JsonRpcMessage::Request(request) = &**message
    {
        if before.contains(&request.id) {
            return Understood::Wrong(error(-32600, "the id stands twice in the batch", &own));
        }
        before.push(request.id.clone());
    }
    understood
}

/// The id of a request, if it can be one: `1.0` is `1`.
fn id(value: &Value) -> Value {
    let id = value
        .get("id")
        .and_then(|id| RequestId::deserialize(id).ok());
    id.map(RequestId::into_json_value).unwrap_or_default()
}

fn alone(value: Value) -> Understood {
    // Only what asks for something is answered: two who answer each other's errors never end.
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
        let long = vec![b'x'; usize::try_from(LONGEST).unwrap() + 5];
        let input = [long.as_slice(), b"\nshort\nnot whole"].concat();
        let mut input = BufReader::new(input.as_slice());
        assert_eq!(next(&mut input).await, Some(None));
        assert_eq!(next(&mut input).await, Some(Some(b"short\n".to_vec())));
        assert_eq!(next(&mut input).await, None);
    }
}

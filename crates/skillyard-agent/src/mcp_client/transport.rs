//! How messages get to a server and back.

mod http;
mod sse;
mod stdio;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::Value;

use super::error::McpError;
use super::json_rpc::{self, Incoming};

pub(super) use http::HttpTransport;
pub(super) use stdio::StdioTransport;
pub use stdio::end_all;

/// How often a waiting request checks whether the user cancelled it.
const CANCEL_CHECK: Duration = Duration::from_millis(25);
/// Invalid lines in a row before the server is ended; some programs print to standard output.
const MAX_INVALID_LINES: usize = 100;

/// Receives the method and the parameters of every notification.
pub(super) type OnNotification = Arc<dyn Fn(&str, &Value) + Send + Sync>;

/// How long to wait for an answer, and the flag that cancels it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline<'a> {
    pub(super) timeout: Duration,
    pub(super) cancel: &'a AtomicBool,
}

/// A connection that carries messages.
pub(super) trait McpTransport: Send + Sync {
    /// Sends a request and waits for the answer.
    fn request(
        &self,
        method: &str,
        params: &Value,
        deadline: Deadline<'_>,
    ) -> Result<Value, McpError>;
    /// Sends a notification.
    fn notify(&self, method: &str, params: &Value) -> Result<(), McpError>;
    /// Receives changes from now on: with a request, or as the legacy protocol does.
    fn subscribe(&self, request: Option<(&str, Value)>);
    /// Sets the protocol version that every request declares from now on.
    fn set_protocol_version(&self, version: &str);
    /// Whether requests can be sent.
    fn is_open(&self) -> bool;
}

/// Waits for what another thread sends.
fn wait<T>(answers: &Receiver<Result<T, McpError>>, deadline: Deadline<'_>) -> Result<T, McpError> {
    let start = Instant::now();
    loop {
        if deadline.cancel.load(Ordering::Relaxed) {
            return Err(McpError::Cancelled);
        }
        let Some(rest) = deadline.timeout.checked_sub(start.elapsed()) else {
            let after = deadline.timeout;
            return Err(McpError::Timeout { after });
        };
        match answers.recv_timeout(rest.min(CANCEL_CHECK)) {
            Ok(answer) => return answer,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(McpError::closed()),
        }
    }
}

/// The requests that wait for an answer on a shared stream.
struct PendingRequests {
    state: Mutex<Pending>,
    on_notification: OnNotification,
}

#[derive(Default)]
struct Pending {
    waiting: HashMap<u64, SyncSender<Result<Value, McpError>>>,
    closed: bool,
    invalid_lines: usize,
}

impl PendingRequests {
    fn new(on_notification: OnNotification) -> Self {
        Self {
            state: Mutex::default(),
            on_notification,
        }
    }

    /// Registers a request; nothing is received if the stream is closed.
    fn add(&self, id: u64) -> Receiver<Result<Value, McpError>> {
        let (sender, receiver) = sync_channel(1);
        let mut state = self.state.lock();
        if !state.closed {
            state.waiting.insert(id, sender);
        }
        receiver
    }

    fn remove(&self, id: u64) {
        self.state.lock().waiting.remove(&id);
    }

    /// Processes a message and returns the reply to send, if any.
    fn receive(&self, bytes: &[u8]) -> Result<Option<Value>, McpError> {
        let incoming = json_rpc::parse(bytes);
        let mut state = self.state.lock();
        match incoming {
            Err(error) if state.invalid_lines >= MAX_INVALID_LINES => return Err(error),
            Err(_) => {
                state.invalid_lines += 1;
                return Ok(None);
            }
            Ok(_) => state.invalid_lines = 0,
        }
        match incoming? {
            Incoming::Response { id, result } => {
                if let Some(sender) = state.waiting.remove(&id) {
                    // The request may have stopped waiting.
                    let _ = sender.try_send(result);
                }
                Ok(None)
            }
            Incoming::Request { id, method } => Ok(Some(json_rpc::reply(&id, &method))),
            Incoming::Notification { method, params } => {
                drop(state);
                (self.on_notification)(&method, &params);
                Ok(None)
            }
        }
    }

    fn is_closed(&self) -> bool {
        self.state.lock().closed
    }

    /// Fails all waiting requests and accepts no others.
    fn close(&self, reason: impl Fn() -> McpError) {
        let mut state = self.state.lock();
        state.closed = true;
        for (_, sender) in state.waiting.drain() {
            let _ = sender.try_send(Err(reason()));
        }
    }
}

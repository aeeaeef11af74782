//! How messages get to a server and back.

mod http;
mod inbox;
mod running;
mod stdio;
mod warden;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::error::McpError;

pub(crate) use http::Http;
pub(crate) use inbox::Listener;
pub use running::end_all;
pub(crate) use stdio::Stdio;

/// How often it is looked whether the user wants to stop.
const TICK: Duration = Duration::from_millis(25);

/// What a server is told whose answer nobody waits for any more.
const CANCELLED: &str = "notifications/cancelled";

/// Which answer that is, and why.
fn nobody_waits(id: u64) -> Value {
    json!({ "requestId": id, "reason": "nobody waits any more" })
}

/// How long to wait for an answer, and who can stop that.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience<'a> {
    pub(crate) most: Duration,
    pub(crate) cancel: &'a AtomicBool,
}

/// A way to a server.
pub(crate) trait Wire: Send + Sync {
    /// Asks, and waits for the answer.
    fn ask(&self, method: &str, params: &Value, patience: Patience<'_>) -> Result<Value, McpError>;
    /// Says something that has no answer.
    fn tell(&self, method: &str, params: &Value) -> Result<(), McpError>;
    /// Wants to be told of changes from now on: with a request, or as the older protocol does.
    fn listen(&self, request: Option<(&str, Value)>);
    /// Says what every request from now on has to say, such as the revision.
    fn agree(&self, protocol: &str);
    /// Whether it still leads somewhere.
    fn is_open(&self) -> bool;
}

/// Waits for what another thread sends.
fn wait<T>(answers: &Receiver<Result<T, McpError>>, patience: Patience<'_>) -> Result<T, McpError> {
    let start = Instant::now();
    loop {
        if patience.cancel.load(Ordering::Relaxed) {
            return Err(McpError::Cancelled);
        }
        let Some(rest) = patience.most.checked_sub(start.elapsed()) else {
            let after = patience.most;
            return Err(McpError::Silent { after });
        };
        match answers.recv_timeout(rest.min(TICK)) {
            Ok(answer) => return answer,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                let said = String::new();
                return Err(McpError::Closed { said });
            }
        }
    }
}

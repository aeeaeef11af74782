//! What came from a server: answers go to who waits for them, the rest is looked at and dropped.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::error::McpError;
use crate::rpc::{self, Incoming};

/// How much may come in a while that nobody asked for before a server is taken for a flood: what it
/// logs, and how far it is.
const MAX_UNASKED: usize = 100_000;
const WHILE: Duration = Duration::from_secs(10);
/// How many lines in a row may be no messages: programs that print to the wrong place exist.
const MAX_NOISE: usize = 100;

/// Is told the method of every notification, and what it says.
pub(crate) type Listener = Arc<dyn Fn(&str, &Value) + Send + Sync>;

/// Who waits for what.
pub(crate) struct Inbox {
    state: Mutex<State>,
    listener: Listener,
}

#[derive(Default)]
struct State {
    waiting: HashMap<u64, SyncSender<Result<Value, McpError>>>,
    closed: bool,
    unasked: usize,
    /// Since when that is counted.
    since: Option<Instant>,
    noise: usize,
}

impl Inbox {
    pub(crate) fn new(listener: Listener) -> Self {
        Self {
            state: Mutex::default(),
            listener,
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for an answer from now on; nothing comes any more if it is closed.
    pub(super) fn expect(&self, id: u64) -> Receiver<Result<Value, McpError>> {
        let (sender, receiver) = sync_channel(1);
        let mut state = self.state();
        if !state.closed {
            state.waiting.insert(id, sender);
        }
        receiver
    }

    /// Waits no more.
    pub(super) fn forget(&self, id: u64) {
        self.state().waiting.remove(&id);
    }

    /// Takes a message; gives what is to be sent back.
    pub(super) fn take(&self, bytes: &[u8]) -> Result<Option<Value>, McpError> {
        let incoming = match rpc::read(bytes) {
            Ok(incoming) => incoming,
            Err(error) => {
                let mut state = self.state();
                state.noise += 1;
                return if state.noise > MAX_NOISE {
                    Err(error)
                } else {
                    Ok(None)
                };
            }
        };
        let mut state = self.state();
        state.noise = 0;
        if state.since.is_none_or(|since| since.elapsed() > WHILE) {
            state.since = Some(Instant::now());
            state.unasked = 0;
        }
        if let Incoming::Response { id, result } = incoming {
            state.unasked = match state.waiting.remove(&id) {
                Some(sender) => {
                    // Who has stopped waiting does not take it.
                    let _ = sender.try_send(result);
                    0
                }
                None => state.unasked + 1,
            };
            return check(state.unasked).map(|()| None);
        }
        state.unasked += 1;
        let unasked = state.unasked;
        drop(state);
        check(unasked)?;
        match incoming {
            Incoming::Request { id, method } => Ok(Some(rpc::answer(&id, &method))),
            Incoming::Notification { method, params } => {
                (self.listener)(&method, &params);
                Ok(None)
            }
            Incoming::Response { .. } => Ok(None),
        }
    }

    /// Whether nothing comes any more.
    pub(super) fn is_closed(&self) -> bool {
        self.state().closed
    }

    /// Tells all who wait that nothing comes any more, and why.
    pub(super) fn close(&self, reason: impl Fn() -> McpError) {
        let mut state = self.state();
        state.closed = true;
        for (_, sender) in state.waiting.drain() {
            let _ = sender.try_send(Err(reason()));
        }
    }
}

fn check(unasked: usize) -> Result<(), McpError> {
    if unasked > MAX_UNASKED {
        return Err(McpError::malformed(
            "it sends without end what nobody asked for",
        ));
    }
    Ok(())
}

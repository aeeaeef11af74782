//! Batches of messages over standard input and output: revision 2025-03-26 has them, and no other.
//!
//! Their answers are one message as well, once there is one to each request.

use std::mem::take;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, JsonRpcMessage, ProtocolVersion, RequestId, ServerResult};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use serde_json::Value;

use super::lines::{Understood, element};
use super::pending::Pending;

/// Most messages of a batch.
pub(super) const MOST: usize = 100;

/// The batches of a connection that are not answered yet, and all requests of it.
#[derive(Debug, Default)]
pub(super) struct Batches {
    state: Mutex<State>,
    pending: Pending,
}

#[derive(Debug, Default)]
struct State {
    /// Whether the client speaks the revision that has them.
    spoken: bool,
    open: Vec<Open>,
}

/// One of them.
#[derive(Debug, Default)]
struct Open {
    /// The ids of requests that have no answer yet.
    awaited: Vec<RequestId>,
    answers: Vec<Value>,
}

impl Open {
    /// The answers, if no more are to come.
    fn whole(&mut self) -> Option<Value> {
        let is_whole = self.awaited.is_empty() && !self.answers.is_empty();
        is_whole.then(|| Value::Array(take(&mut self.answers)))
    }
}

/// Messages to be passed on, and what is said at once.
type Heard = (Vec<RxJsonRpcMessage<RoleServer>>, Option<Value>);

/// What becomes of something that is said to a client.
#[derive(Debug)]
pub(super) enum Said {
    /// It is a message of its own.
    Alone,
    /// It waits for the other answers of its batch.
    Later,
    /// It was the last answer; these are all of them.
    Whole(Value),
}

impl Batches {
    /// Whether the client speaks the revision that has them.
    pub(super) fn are_spoken(&self) -> bool {
        self.state().spoken
    }

    /// Takes a batch: its messages, and the answers where none of them is a request.
    pub(super) fn begin(&self, batch: Vec<Value>) -> Heard {
        let (mut open, mut messages) = (Open::default(), Vec::new());
        let mut ids = Vec::new();
        for value in batch {
            match element(value, &mut ids) {
                Understood::Message(message) => {
                    if let JsonRpcMessage::Request(request) = &*message {
                        if let Err(twin) = self.pending.begin(&request.id) {
                            open.answers.push(twin);
                            continue;
                        }
                        open.awaited.push(request.id.clone());
                    }
                    messages.push(*message);
                }
                Understood::Wrong(answer) => open.answers.push(answer),
                Understood::Batch(_) | Understood::Nothing => {}
            }
        }
        let whole = open.whole();
        if !open.awaited.is_empty() {
            self.state().open.push(open);
        }
        (messages, whole)
    }

    /// Takes what a client says alone.
    pub(super) fn alone(&self, message: RxJsonRpcMessage<RoleServer>) -> Heard {
        let answer = match &message {
            JsonRpcMessage::Request(request) => {
                if let Err(twin) = self.pending.begin(&request.id) {
                    return (Vec::new(), Some(twin));
                }
                None
            }
            JsonRpcMessage::Notification(told) => self.told(&told.notification),
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => None,
        };
        (vec![message], answer)
    }

    /// There is no answer to a request that a client takes back, which the others of its batch do not
    /// wait for.
    fn told(&self, notification: &ClientNotification) -> Option<Value> {
        let ClientNotification::CancelledNotification(cancelled) = notification else {
            return None;
        };
        let id = cancelled.params.request_id.as_ref()?;
        self.pending.end(id);
        self.state().without(id, None)
    }

    /// Looks at what is said to the client.
    pub(super) fn said(&self, message: &TxJsonRpcMessage<RoleServer>) -> Said {
        let mut state = self.state();
        let answered = match message {
            JsonRpcMessage::Response(response) => {
                if let ServerResult::InitializeResult(result) = &response.result {
                    state.spoken = result.protocol_version == ProtocolVersion::V_2025_03_26;
                }
                Some(&response.id)
            }
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        if let Some(id) = answered {
            self.pending.end(id);
        }
        let Some(answered) = answered.filter(|id| state.awaits(id)) else {
            return Said::Alone;
        };
        let Ok(answer) = serde_json::to_value(message) else {
            return Said::Alone;
        };
        let whole = state.without(answered, Some(answer));
        whole.map_or(Said::Later, Said::Whole)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn awaits(&self, id: &RequestId) -> bool {
        self.open.iter().any(|open| open.awaited.contains(id))
    }

    /// Waits no more for the answer to a request; the answers of its batch, if that was the last.
    fn without(&mut self, id: &RequestId, answer: Option<Value>) -> Option<Value> {
        let mut open = self.open.iter_mut();
        let open = open.find(|open| open.awaited.contains(id))?;
        open.awaited.retain(|each| each != id);
        open.answers.extend(answer);
        let whole = open.whole();
        self.open.retain(|open| !open.awaited.is_empty());
        whole
    }
}

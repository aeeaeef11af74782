//! Requests that have no answer yet: an id belongs to one of them at a time, because an answer says
//! nothing else of what it answers, and whoever waits for the other one would wait for good.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::lines::error;

/// The ids of requests of a client that have no answer yet.
#[derive(Debug, Default)]
pub(super) struct Pending(Mutex<HashSet<RequestId>>);

impl Pending {
    /// Takes note of a request; what is said where another one has its id.
    pub(super) fn begin(&self, id: &RequestId) -> Result<(), Value> {
        if self.ids().insert(id.clone()) {
            return Ok(());
        }
        let text = "another request with this id has no answer yet";
        Err(error(-32600, text, &id.clone().into_json_value()))
    }

    /// A request was answered, or nobody waits for its answer.
    pub(super) fn end(&self, id: &RequestId) {
        self.ids().remove(id);
    }

    fn ids(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What tells requests and answers apart.
#[derive(Deserialize)]
struct Head {
    id: Option<RequestId>,
    method: Option<IgnoredAny>,
}

/// The id of a request, if this is one.
pub(super) fn asked(text: &[u8]) -> Option<RequestId> {
    let head: Head = serde_json::from_slice(text).ok()?;
    head.id.filter(|_| head.method.is_some())
}

/// Whether an event of a stream is the answer to a request.
pub(super) fn is_answer(event: &[u8], id: &RequestId) -> bool {
    let mut lines = event.split(|byte| *byte == b'\n');
    lines.any(|line| {
        let data = line.strip_prefix(b"data:");
        let head = data.and_then(|data| serde_json::from_slice::<Head>(data).ok());
        head.is_some_and(|head| head.method.is_none() && head.id.as_ref() == Some(id))
    })
}

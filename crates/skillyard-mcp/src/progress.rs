//! How far calls are, as servers tell while they work.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use skillyard_format::text::one_line;

/// Characters of what a server says of it.
const LONGEST: usize = 300;

/// How far a call is.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// How much is done.
    pub progress: f64,
    /// How much there is to do, if that is known.
    pub total: Option<f64>,
    /// What the server says of it, in one short line.
    pub message: Option<String>,
}

/// Is told how far a call is.
pub type Progress = Arc<dyn Fn(Step) + Send + Sync>;

/// Who wants to know of which call.
#[derive(Default)]
pub(crate) struct Watched {
    next: AtomicU64,
    calls: Mutex<HashMap<u64, Progress>>,
}

impl Watched {
    /// Tells of a call from now on, by the token that goes along with it.
    pub(crate) fn begin(&self, progress: Progress) -> u64 {
        let token = self.next.fetch_add(1, Ordering::Relaxed);
        self.calls().insert(token, progress);
        token
    }

    /// Tells no more.
    pub(crate) fn end(&self, token: u64) {
        self.calls().remove(&token);
    }

    /// Hears how far a call is.
    pub(crate) fn hear(&self, said: &Value) {
        let token = said.get("progressToken").and_then(Value::as_u64);
        let Some(progress) = token.and_then(|token| self.calls().get(&token).cloned()) else {
            return;
        };
        let number = |key| said.get(key).and_then(Value::as_f64);
        let message = said.get("message").and_then(Value::as_str);
        progress(Step {
            progress: number("progress").unwrap_or_default(),
            total: number("total"),
            message: message.map(|text| one_line(text).chars().take(LONGEST).collect()),
        });
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<u64, Progress>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Questions that wait for the user's answer, over a protocol that keeps nothing.
//!
//! A question has a name that cannot be guessed, belongs to exactly one request, and is answered
//! once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::ErrorData;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Value, json};
use skillyard_format::package::Digest;

/// How long a question waits.
const PATIENCE: Duration = Duration::from_mins(10);
/// How many questions wait at once.
const MOST: usize = 256;
/// What a yes is called in the form.
const ALLOW: &str = "allow";

/// The questions that wait.
#[derive(Default)]
pub(crate) struct Consents {
    waiting: Mutex<HashMap<String, (Digest, Instant)>>,
}

impl Consents {
    /// Remembers a question about a request; gives its name.
    pub(super) fn ask(&self, request: Digest) -> Result<String, ErrorData> {
        let mut bytes = [0; 32];
        let failed = |_| ErrorData::internal_error("there is no randomness", None);
        getrandom::fill(&mut bytes).map_err(failed)?;
        let name = hex::encode(bytes);
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|_, (_, asked)| asked.elapsed() < PATIENCE);
        if waiting.len() >= MOST {
            return Err(ErrorData::internal_error("too many questions wait", None));
        }
        waiting.insert(name.clone(), (request, Instant::now()));
        Ok(name)
    }

    /// Whether this is the name of a question about exactly this request; it is asked no more.
    pub(super) fn take(&self, name: &str, request: Digest) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let found = waiting.remove(name);
        found.is_some_and(|(about, asked)| about == request && asked.elapsed() < PATIENCE)
    }
}

/// The form that a client shows.
pub(super) fn form(message: &str) -> Result<ElicitRequestParams, ErrorData> {
    let schema = json!({
        "type": "object",
        "properties": { ALLOW: {
            "type": "boolean",
            "title": "Allow it",
            "description": "Run this script once, in the sandbox",
            "default": false,
        } },
        "required": [ALLOW],
    });
    let form = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    serde_json::from_value(form).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// Whether the user said yes, and nothing else.
pub(super) fn is_yes(answer: &ElicitResult) -> bool {
    let allowed = answer
        .content
        .as_ref()
        .and_then(|content| content.get(ALLOW));
    answer.action == ElicitationAction::Accept && allowed == Some(&Value::Bool(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_yes_is_for_one_request_once() {
        let consents = Consents::default();
        let (this, other) = (Digest::of(b"this"), Digest::of(b"other"));
        let name = consents.ask(this).unwrap();
        assert!(!consents.take("guessed", this));
        assert!(consents.take(&name, this) && !consents.take(&name, this));
        let name = consents.ask(this).unwrap();
        assert!(!consents.take(&name, other) && !consents.take(&name, this));
    }

    #[test]
    fn only_a_yes_is_one() {
        let said = |value: Value| is_yes(&serde_json::from_value(value).unwrap());
        assert!(said(
            json!({ "action": "accept", "content": { "allow": true } })
        ));
        for value in [
            json!({ "action": "accept" }),
            json!({ "action": "accept", "content": { "allow": false } }),
            json!({ "action": "accept", "content": { "allow": "true" } }),
            json!({ "action": "decline", "content": { "allow": true } }),
            json!({ "action": "cancel" }),
        ] {
            assert!(!said(value.clone()), "{value}");
        }
    }
}

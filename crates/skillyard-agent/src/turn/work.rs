//! Going round: the model is asked and its calls are made, until it makes none or must stop.

use std::sync::atomic::Ordering;

use skillyard_format::Digest;

use super::{Turn, TurnError};
use crate::front_end::{EndReason, Stopper, TurnEvent};
use crate::message::{AssistantPart, CallOutcome, Message, ToolCall, ToolResult};
use crate::provider::{ProviderError, Stop};
use crate::tool::Repeats;

/// How often the same call is made in a turn before the model is told, and before it ends.
const REPEATS: (usize, usize) = (3, 6);

/// What a call is told that was not made, because the turn was over before its time came.
pub(crate) const NOT_MADE: &str = "This call was not made: the turn was stopped before.";

/// What a turn says that the server ended.
const SERVER_ENDED: &str = "(stopped: the server ended)";

/// What is said of an answer that has no end.
const BROKEN_OFF: &str = "(broken off: the model's server failed)";

/// What a turn says that ends without an answer.
const STOPPED: [(EndReason, &str); 5] = [
    (EndReason::Cancelled, "(stopped by the user)"),
    (EndReason::Cancelled, SERVER_ENDED),
    (
        EndReason::StepLimit,
        "(stopped: the limit of steps was reached)",
    ),
    (
        EndReason::Repetition,
        "(stopped: the same call was made again and again)",
    ),
    (
        EndReason::TokenBudget,
        "(stopped: the session has used up its tokens)",
    ),
];

/// Whether this is what a turn says that ends without an answer.
pub(super) fn is_stop(text: &str) -> bool {
    STOPPED.iter().any(|(_, said)| *said == text)
}

impl Turn<'_> {
    /// Asks the model and makes its calls until it makes none.
    pub(super) fn work(&mut self) -> Result<EndReason, TurnError> {
        loop {
            if let Some(reason) = self.is_spent() {
                return self.stop(reason);
            }
            let completion = match self.ask() {
                Ok(completion) => completion,
                Err(TurnError::Provider(ProviderError::Cancelled)) => {
                    return self.stop(EndReason::Cancelled);
                }
                Err(error) => {
                    self.keep_half()?;
                    return Err(error);
                }
            };
            let message = Message::Assistant {
                parts: completion.parts,
            };
            let calls: Vec<ToolCall> = message.calls().into_iter().cloned().collect();
            self.session.messages.push(message);
            self.save()?;
            if calls.is_empty() {
                return Ok(match completion.stop {
                    Stop::End => EndReason::Answered,
                    Stop::Length => EndReason::Length,
                    Stop::Refused => EndReason::Refused,
                });
            }
            self.make(&calls)?;
        }
    }

    fn is_spent(&self) -> Option<EndReason> {
        let limits = &self.session.prompt.settings.limits;
        let used = &self.session.state.usage;
        let used = used.input.saturating_add(used.output);
        if let Some(reason) = self.is_over() {
            Some(reason)
        } else if self.steps >= limits.steps {
            Some(EndReason::StepLimit)
        } else if limits.session_tokens > 0 && used >= limits.session_tokens {
            Some(EndReason::TokenBudget)
        } else {
            None
        }
    }

    /// Whether not even the calls of an answer are made any more: it may hold thousands.
    fn is_over(&self) -> Option<EndReason> {
        if self.cancel.load(Ordering::Relaxed) {
            Some(EndReason::Cancelled)
        } else if self.most_repeats() >= REPEATS.1 {
            Some(EndReason::Repetition)
        } else {
            None
        }
    }

    fn most_repeats(&self) -> usize {
        let count = |wanted| self.made.iter().filter(|made| *made == wanted).count();
        self.made.last().map(count).unwrap_or_default()
    }

    /// Ends a turn that has no answer; the session keeps what there is of one, and says why.
    fn stop(&mut self, reason: EndReason) -> Result<EndReason, TurnError> {
        let mark = match (reason, self.front.stopper()) {
            (EndReason::Cancelled, Stopper::Server) => SERVER_ENDED,
            _ => STOPPED
                .iter()
                .find(|(each, _)| *each == reason)
                .map_or("(stopped)", |(_, text)| *text),
        };
        let mut text = std::mem::take(&mut self.said);
        let delta = if text.trim().is_empty() {
            text.clear();
            mark.to_owned()
        } else {
            format!("\n\n{mark}")
        };
        self.keep(text, delta)?;
        Ok(reason)
    }

    /// Keeps what there is of an answer that the model's server did not finish.
    fn keep_half(&mut self) -> Result<(), TurnError> {
        let said = std::mem::take(&mut self.said);
        if said.trim().is_empty() {
            return Ok(());
        }
        let delta = format!("\n\n{BROKEN_OFF}");
        self.keep(said, delta)
    }

    /// Puts what was said into the session, with what is added to it.
    fn keep(&mut self, mut text: String, delta: String) -> Result<(), TurnError> {
        text.push_str(&delta);
        self.front.event(&TurnEvent::Text { delta });
        self.session.messages.push(Message::Assistant {
            parts: vec![AssistantPart::Text { text }],
        });
        self.save()
    }

    fn make(&mut self, calls: &[ToolCall]) -> Result<(), TurnError> {
        let mut results = Vec::new();
        for call in calls {
            if self.is_over().is_some() {
                results.push(ToolResult {
                    id: call.id.clone(),
                    name: call.name.clone(),
                    content: NOT_MADE.into(),
                    outcome: CallOutcome::Denied,
                });
                continue;
            }
            let key = (call.name.clone(), Digest::of(call.arguments.as_bytes()));
            self.made.push(key);
            let repeats = if self.most_repeats() >= REPEATS.0 {
                Repeats::Many
            } else {
                Repeats::Few
            };
            let result = self.calls().make(call, repeats)?;
            results.push(result);
        }
        self.session.messages.push(Message::Tool { results });
        self.save()
    }
}

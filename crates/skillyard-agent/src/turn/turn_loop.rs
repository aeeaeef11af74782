//! Going round: the model is asked and its calls are made, until it makes none or must stop.

use std::sync::atomic::Ordering;

use super::{Turn, TurnError};
use crate::front_end::{EndReason, SERVER_ENDED, Stopper, TurnEvent};
use crate::message::{AssistantPart, CallOutcome, Message, ToolCall, ToolResult};
use crate::provider::{Completion, ProviderError, Stop};
use crate::tool::Length;

/// The result of a call that was not made because the turn ended first.
pub(crate) const NOT_MADE: &str = "This call was not made: the turn was stopped before.";

/// The result of a call after too many others.
pub(crate) const TOO_MANY: &str =
    "This call was not made: an answer has at most 128 calls. Make it in your next one.";

/// Calls of one answer that are made; each is recorded.
const MAX_CALLS: usize = 128;

/// The notice after an answer that the server did not finish.
const INCOMPLETE: &str = "(broken off: the model's server failed)";

impl Turn<'_> {
    /// Asks the model and makes its calls until it makes none.
    pub(super) fn run_until_answered(&mut self) -> Result<EndReason, TurnError> {
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
            let Completion {
                mut parts, stop, ..
            } = completion;
            // The calls of a refused answer are refused too, and may be incomplete.
            if stop == Stop::Refused {
                parts.retain(|part| !matches!(part, AssistantPart::Call(_)));
            }
            let is_limited =
                stop == Stop::Length && matches!(parts.last(), Some(AssistantPart::Call(_)));
            let message = Message::Assistant { parts };
            let calls: Vec<ToolCall> = message.calls().into_iter().cloned().collect();
            let reason = match stop {
                Stop::Length => EndReason::Length,
                Stop::Refused => EndReason::Refused,
                Stop::End if message.words().trim().is_empty() => EndReason::Empty,
                Stop::End => EndReason::Answered,
            };
            self.session.messages.push(message);
            if calls.is_empty() {
                self.append_notice(reason);
            }
            self.save()?;
            if calls.is_empty() {
                return Ok(reason);
            }
            self.make(&calls, is_limited)?;
        }
    }

    /// Says behind the last answer why it is none, or not whole.
    fn append_notice(&mut self, reason: EndReason) {
        let (Some(notice), Some(Message::Assistant { parts })) =
            (reason.notice(), self.session.messages.last_mut())
        else {
            return;
        };
        let is_blank = |part: &AssistantPart| matches!(part, AssistantPart::Text { text } if text.trim().is_empty());
        parts.retain(|part| !is_blank(part));
        let is_text = |part: &AssistantPart| matches!(part, AssistantPart::Text { .. });
        let delta = if parts.iter().any(is_text) {
            format!("\n\n{notice}")
        } else {
            notice.to_owned()
        };
        match parts.last_mut() {
            Some(AssistantPart::Text { text }) => text.push_str(&delta),
            _ => parts.push(AssistantPart::Text {
                text: notice.into(),
            }),
        }
        self.front.event(&TurnEvent::Text { delta });
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
        } else if self.repeats.are_too_many() {
            Some(EndReason::Repetition)
        } else if self.audit_quota.is_spent() {
            Some(EndReason::LogShare)
        } else {
            None
        }
    }

    /// Ends a turn that has no answer; the session keeps what there is of one, and says why.
    fn stop(&mut self, reason: EndReason) -> Result<EndReason, TurnError> {
        let notice = match (reason, self.front.stopper()) {
            (EndReason::Cancelled, Stopper::Server) => SERVER_ENDED,
            _ => reason.notice().unwrap_or("(stopped)"),
        };
        let mut text = std::mem::take(&mut self.said);
        let delta = if text.trim().is_empty() {
            text.clear();
            notice.to_owned()
        } else {
            format!("\n\n{notice}")
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
        let delta = format!("\n\n{INCOMPLETE}");
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

    /// Makes the calls of an answer; the last of one that its limit ended may not be whole.
    fn make(&mut self, calls: &[ToolCall], is_limited: bool) -> Result<(), TurnError> {
        let mut results = Vec::new();
        for (at, call) in calls.iter().enumerate() {
            let unmade = if self.is_over().is_some() {
                Some(NOT_MADE)
            } else {
                (at >= MAX_CALLS).then_some(TOO_MANY)
            };
            if let Some(reason) = unmade {
                results.push(ToolResult {
                    id: call.id.clone(),
                    name: call.name.clone(),
                    content: reason.into(),
                    outcome: CallOutcome::Denied,
                });
                continue;
            }
            let length = if is_limited && at + 1 == calls.len() {
                Length::Limited
            } else {
                Length::Whole
            };
            let result = self.calls().make(call, length)?;
            results.push(result);
        }
        self.session.messages.push(Message::Tool { results });
        self.save()
    }
}

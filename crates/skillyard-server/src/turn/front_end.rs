//! The front end of a turn: what happens becomes events, what is asked waits for a person.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use skillyard_agent::front_end::{ApprovalAnswer, ApprovalRequest, FrontEnd, Stopper, TurnEvent};
use skillyard_agent::message::Trigger;
use skillyard_agent::trace_context::TraceParent;

use crate::chat::event::{called, reason, shown, trigger};
use crate::chat::{ActiveSkill, ChatEvent, Conversation};
use crate::concurrency::ConcurrencyPermit;
use crate::metrics::Metrics;

/// The front end of a turn.
pub(super) struct TurnFrontEnd<'a> {
    pub(super) conversation: &'a Conversation,
    pub(super) permit: &'a ConcurrencyPermit,
    pub(super) metrics: &'a Metrics,
    pub(super) active: Vec<ActiveSkill>,
    pub(super) model: String,
    /// The span of the user message.
    pub(super) parent: Option<TraceParent>,
    /// Why the turn ended, once it has.
    pub(super) ended: Option<String>,
}

impl FrontEnd for TurnFrontEnd<'_> {
    fn event(&mut self, event: &TurnEvent) {
        let told = match event {
            TurnEvent::Started { model, .. } => {
                self.model.clone_from(model);
                ChatEvent::Started {
                    model: model.clone(),
                }
            }
            TurnEvent::SkillActivated {
                name,
                digest,
                trigger: by,
                tokens,
                text,
            } => {
                self.metrics.tokens(name, *tokens);
                self.activated(name, digest);
                // A skill that the model loads is shown as a call.
                if *by == Trigger::Model {
                    return;
                }
                ChatEvent::Skill {
                    name: name.clone(),
                    digest: digest.clone(),
                    trigger: trigger(*by),
                    content: shown(text),
                }
            }
            TurnEvent::Text { delta } => ChatEvent::Text {
                text: delta.clone(),
            },
            TurnEvent::ToolCall {
                id,
                name,
                arguments,
                ..
            } => called(id, name, arguments),
            TurnEvent::ToolResult {
                id,
                outcome,
                content,
                milliseconds,
                ..
            } => ChatEvent::ToolResult {
                id: id.clone(),
                outcome: (*outcome).into(),
                output: shown(content),
                milliseconds: Some(*milliseconds),
            },
            TurnEvent::Retry {
                reason,
                milliseconds,
            } => ChatEvent::Retry {
                reason: reason.clone(),
                milliseconds: *milliseconds,
            },
            TurnEvent::Note { text } => ChatEvent::Note { text: text.clone() },
            TurnEvent::Usage { request, session } => {
                self.metrics.usage(&self.model, request);
                ChatEvent::Usage {
                    input: request.input,
                    cached: request.cached,
                    output: request.output,
                    estimated: request.estimated,
                    session: session.into(),
                }
            }
            // The end is shown once everything is stored.
            TurnEvent::Done { reason: why, .. } => {
                self.ended = Some(reason(*why));
                return;
            }
        };
        self.conversation.tell(told);
    }

    fn approve(&mut self, request: &ApprovalRequest) -> ApprovalAnswer {
        let ask = || self.conversation.ask(request);
        self.permit.while_waiting(ask)
    }

    fn cancel(&self) -> Arc<AtomicBool> {
        self.conversation.stopped()
    }

    fn stopper(&self) -> Stopper {
        self.conversation.stopper()
    }

    fn parent(&self) -> Option<&TraceParent> {
        self.parent.as_ref()
    }
}

impl TurnFrontEnd<'_> {
    fn activated(&mut self, name: &str, digest: &str) {
        self.active.retain(|each| each.name != name);
        self.active.push(ActiveSkill {
            name: name.to_owned(),
            digest: digest.to_owned(),
        });
        let skills = self.active.clone();
        self.conversation.tell(ChatEvent::Active { skills });
    }
}

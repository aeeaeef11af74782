//! A turn: the user says something, and it is worked on until there is an answer.
//!
//! ```text
//! message → explicit skills → router → model → calls → guard → approval → sandbox → model …
//! ```
//!
//! Everything that happens is kept before the next thing is tried, so a program that is killed
//! loses at most the step it was in, and no call is ever made twice.
//!
//! `ingest_message` takes the message in, `turn_loop` repeats `model_request` and tool calls until there
//! is an answer.

mod ingest_message;
mod model_request;
mod sanitize_tool_calls;
mod turn_loop;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use jiff::Timestamp;
use skillyard_audit::{Event, EventKind};
use skillyard_trust::guard::{ActiveSkill, ToolList};

use crate::front_end::{EndReason, FrontEnd, TurnEvent, is_notice};
use crate::host::{Host, HostError};
use crate::invocation::{Invocation, understand};
use crate::prompt::Prompt;
use crate::provider::{Provider, ProviderError, Usage};
use crate::session::{Session, SessionError, SessionStore};
use crate::settings::AgentSettings;
use crate::shelf::{Caller, Shelf, ShelfError};
use crate::telemetry::{TelemetryEvent, TelemetrySubscriber, TurnEnded, TurnStarted, publish};
use crate::tool::{AuditQuota, Calls, Repeats};

pub(crate) use model_request::{build_request, request_digest, visible_messages};
pub(crate) use turn_loop::{NOT_MADE, TOO_MANY};

/// Whether the runtime gives this answer by itself, without a model.
pub(crate) fn is_own_answer(text: &str) -> bool {
    is_notice(text) || ingest_message::is_acknowledgement(text)
}

/// What a turn needs; it outlives many.
pub struct Runtime {
    /// Who answers.
    pub provider: Box<dyn Provider>,
    /// Who picks skills for a router, where that is another model.
    pub router: Option<Box<dyn Provider>>,
    /// The skills.
    pub shelf: Shelf,
    /// The machine.
    pub host: Box<dyn Host>,
    /// Where sessions are kept.
    pub store: Arc<SessionStore>,
    /// What time it is.
    pub clock: fn() -> Timestamp,
    /// Who else hears of what happens.
    pub subscribers: Vec<Arc<dyn TelemetrySubscriber>>,
}

/// Why a turn failed. What came before it is kept.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    /// The user named a skill that cannot be given.
    #[error(transparent)]
    Skill(#[from] ShelfError),
    /// The model did not answer.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The session cannot be kept.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The machine failed, such as the audit log.
    #[error(transparent)]
    Host(#[from] HostError),
}

impl TurnError {
    /// The kind of failure, in a word that says nothing of what was said.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Skill(_) => "skill",
            Self::Provider(error) => error.kind(),
            Self::Session(_) => "session",
            Self::Host(_) => "host",
        }
    }
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnEnd {
    /// Why.
    pub reason: EndReason,
    /// How often the model was asked.
    pub steps: usize,
    /// What it cost.
    pub usage: Usage,
}

impl Runtime {
    /// What every request of a new session begins with.
    pub fn prompt(&self, settings: &AgentSettings) -> Prompt {
        Prompt::with_lent(&self.shelf, settings, self.host.lent())
    }

    /// Writes down that a session began, and keeps it, unless it did before.
    fn begin(&mut self, session: &mut Session) -> Result<(), TurnError> {
        if session.stored {
            return Ok(());
        }
        let prompt = &session.prompt;
        let mut event = Event::new(EventKind::SessionStarted)
            .session(&session.id)
            .detail("model", &prompt.settings.model)
            .detail("catalog", &prompt.catalog)
            .detail("prompt", prompt.digest().to_string());
        if let Some(agent) = &session.agent {
            event = event.detail("agent", format!("{}@{}", agent.name, agent.version));
        }
        if let Some(from) = session.state.lineage.last() {
            event = event
                .detail("copied_from", &from.session)
                .detail("copied_messages", from.messages.to_string());
        }
        self.host.record(&event)?;
        self.store.save(session, (self.clock)())?;
        Ok(())
    }

    /// Works on what the user said until there is an answer.
    pub fn turn(
        &mut self,
        session: &mut Session,
        input: &str,
        front: &mut dyn FrontEnd,
    ) -> Result<TurnEnd, TurnError> {
        let invocation = understand(input, &self.shelf)?;
        let _lease = self.store.lease(session)?;
        session.fill_missing_results();
        self.record_model_change(session)?;
        publish(
            &self.subscribers,
            &TelemetryEvent::TurnStarted(TurnStarted {
                session: &session.id,
                agent: session.agent.as_ref().map(|agent| agent.name.as_str()),
                model: &session.prompt.settings.model,
                parent: front.parent(),
                at: (self.clock)(),
            }),
        );
        let cancel = front.cancel();
        front.event(&TurnEvent::Started {
            session: session.id.clone(),
            model: session.prompt.settings.model.clone(),
        });
        let mut turn = Turn {
            active: active(&self.shelf, session),
            runtime: self,
            session,
            front,
            cancel,
            usage: Usage::default(),
            steps: 0,
            said: String::new(),
            repeats: Repeats::default(),
            audit_quota: AuditQuota::default(),
        };
        let outcome = turn.run(input, &invocation);
        publish(
            &turn.runtime.subscribers,
            &TelemetryEvent::TurnEnded(TurnEnded {
                session: &turn.session.id,
                at: (turn.runtime.clock)(),
                usage: turn.usage,
                outcome: match &outcome {
                    Ok(reason) => Ok(*reason),
                    Err(error) => Err(error.kind()),
                },
            }),
        );
        let reason = outcome?;
        let end = TurnEnd {
            reason,
            steps: turn.steps,
            usage: turn.usage,
        };
        turn.front.event(&TurnEvent::Done {
            reason,
            steps: end.steps,
        });
        Ok(end)
    }

    /// Lets a skill of a session go.
    pub fn release(&mut self, session: &mut Session, name: &str) -> Result<bool, TurnError> {
        let _lease = self.store.lease(session)?;
        if !session.release(name) {
            return Ok(false);
        }
        self.begin(session)?;
        let event = Event::new(EventKind::SkillReleased);
        self.host.record(&event.session(&session.id).skill(name))?;
        self.store.save(session, (self.clock)())?;
        Ok(true)
    }
}

/// What the skills of a session let tools do. One that is gone or has changed allows nothing.
fn active(shelf: &Shelf, session: &Session) -> Vec<ActiveSkill> {
    let skills = session.state.activated.iter().map(|each| {
        // Who activated it does not matter for what it allows.
        let loaded = shelf
            .load(&each.name, "", Caller::Model)
            .or_else(|_| shelf.load(&each.name, "", Caller::User));
        match loaded {
            Ok(loaded) if loaded.digest.to_string() == each.digest => loaded.active,
            _ => ActiveSkill {
                name: each.name.clone(),
                folder: None,
                allowed: ToolList::Unreadable,
                disallowed: ToolList::Absent,
            },
        }
    });
    skills.collect()
}

struct Turn<'a> {
    runtime: &'a mut Runtime,
    session: &'a mut Session,
    front: &'a mut dyn FrontEnd,
    active: Vec<ActiveSkill>,
    cancel: Arc<AtomicBool>,
    usage: Usage,
    steps: usize,
    /// What the model has said of an answer that is not whole yet.
    said: String,
    repeats: Repeats,
    audit_quota: AuditQuota,
}

impl Turn<'_> {
    fn run(&mut self, input: &str, invocation: &Invocation) -> Result<EndReason, TurnError> {
        self.ingest_message(input, invocation)?;
        if invocation.is_bare() {
            self.acknowledge(invocation)
        } else {
            self.run_until_answered()
        }
    }

    fn calls(&mut self) -> Calls<'_> {
        Calls {
            shelf: &self.runtime.shelf,
            host: &mut *self.runtime.host,
            session: self.session,
            active: &mut self.active,
            front: self.front,
            cancel: &self.cancel,
            clock: self.runtime.clock,
            subscribers: &self.runtime.subscribers,
            repeats: &mut self.repeats,
            audit_quota: &mut self.audit_quota,
        }
    }

    fn save(&mut self) -> Result<(), TurnError> {
        let now = (self.runtime.clock)();
        Ok(self.runtime.store.save(self.session, now)?)
    }
}

impl Runtime {
    /// Records and stores a change of the model.
    fn record_model_change(&mut self, session: &mut Session) -> Result<(), TurnError> {
        if !session.handed_over {
            return Ok(());
        }
        let prompt = &session.prompt;
        let mut event = Event::new(EventKind::SessionModelChanged)
            .session(&session.id)
            .detail("model", &prompt.settings.model)
            .detail("prompt", prompt.digest().to_string());
        if let Some(earlier) = session.state.earlier.last() {
            event = event.detail("before", &earlier.model);
        }
        self.host.record(&event)?;
        self.store.save(session, (self.clock)())?;
        Ok(())
    }
}

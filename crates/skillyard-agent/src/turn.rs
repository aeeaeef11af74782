//! A turn: the user says something, and it is worked on until there is an answer.
//!
//! ```text
//! message → explicit skills → router → model → calls → guard → approval → sandbox → model …
//! ```
//!
//! Everything that happens is kept before the next thing is tried, so a program that is killed
//! loses at most the step it was in, and no call is ever made twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;
use skillyard_audit::{Event, EventKind};
use skillyard_format::Digest;
use skillyard_trust::guard::{ActiveSkill, ToolList};

use crate::front_end::{EndReason, FrontEnd, Trigger, TurnEvent};
use crate::host::{Host, HostError};
use crate::invocation::{Invocation, understand};
use crate::message::{AssistantPart, Message, ToolCall, UserPart};
use crate::mode;
use crate::provider::{Completion, Delta, ModelRequest, Provider, ProviderError, Stop, Usage};
use crate::router;
use crate::session::{Session, SessionError, SessionStore, plan};
use crate::settings::Strategy;
use crate::shelf::{Caller, Shelf, ShelfError};
use crate::tool::{Calls, MOST_ARGUMENTS, Repeats, receive};

/// How often the same call is made in a turn before the model is told, and before it ends.
const REPEATS: (usize, usize) = (3, 6);

/// What a turn says that ends without an answer.
const STOPPED: [(EndReason, &str); 4] = [
    (EndReason::Cancelled, "(stopped by the user)"),
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

/// Whether the runtime gives this answer by itself, without a model.
pub(crate) fn is_own_answer(text: &str) -> bool {
    STOPPED.iter().any(|(_, said)| *said == text)
        || (text.starts_with("Activated `") && text.ends_with(WHAT_NOW))
}

/// The end of the answer to a message that only names skills.
const WHAT_NOW: &str = "`. What is to be done?";

/// What a turn needs; it outlives many.
pub struct Runtime {
    /// Who answers.
    pub provider: Box<dyn Provider>,
    /// The skills.
    pub shelf: Shelf,
    /// The machine.
    pub host: Box<dyn Host>,
    /// Where sessions are kept.
    pub store: Arc<SessionStore>,
    /// What time it is.
    pub clock: fn() -> Timestamp,
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
    /// Writes down that a session began, and keeps it.
    fn begin(&mut self, session: &mut Session) -> Result<(), TurnError> {
        let prompt = &session.prompt;
        let mut event = Event::new(EventKind::SessionStarted)
            .session(&session.id)
            .detail("model", &prompt.settings.model)
            .detail("catalog", &prompt.catalog)
            .detail("prompt", prompt.digest().to_string());
        if let Some(agent) = &session.agent {
            event = event.detail("agent", format!("{}@{}", agent.name, agent.version));
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
        if session.kept == 0 {
            self.begin(session)?;
        }
        session.mend();
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
            made: Vec::new(),
        };
        turn.hear(input, &invocation)?;
        let reason = if invocation.is_bare() {
            turn.acknowledge(&invocation)?
        } else {
            turn.work()?
        };
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
        if !session.release(name) {
            return Ok(false);
        }
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
    /// The calls of this turn: tool and arguments.
    made: Vec<(String, Digest)>,
}

impl Turn<'_> {
    fn calls(&mut self) -> Calls<'_> {
        Calls {
            shelf: &self.runtime.shelf,
            host: &mut *self.runtime.host,
            session: self.session,
            active: &mut self.active,
            front: self.front,
            cancel: &self.cancel,
        }
    }

    fn save(&mut self) -> Result<(), TurnError> {
        let now = (self.runtime.clock)();
        Ok(self.runtime.store.save(self.session, now)?)
    }

    /// Takes in the user's message, with the skills that it names or that a router chooses.
    fn hear(&mut self, input: &str, invocation: &Invocation) -> Result<(), TurnError> {
        let mut parts = Vec::new();
        for name in &invocation.skills {
            parts.push(self.activate(name, &invocation.arguments, Trigger::User)?);
        }
        if invocation.skills.is_empty() {
            parts.extend(self.route(input)?);
        }
        parts.push(UserPart::Text {
            text: input.trim().to_owned(),
        });
        self.session.messages.push(Message::User { parts });
        self.save()
    }

    fn activate(
        &mut self,
        name: &str,
        arguments: &str,
        trigger: Trigger,
    ) -> Result<UserPart, TurnError> {
        let caller = match trigger {
            Trigger::User => Caller::User,
            Trigger::Model | Trigger::Router => Caller::Model,
        };
        let loaded = self.runtime.shelf.load(name, arguments, caller)?;
        let digest = loaded.digest.to_string();
        let output = receive(loaded, &self.session.state);
        if let Some(activation) = output.activated {
            let event = self.calls().activated(&output.content, activation, trigger);
            self.runtime.host.record(&event)?;
        }
        Ok(UserPart::Skill {
            name: name.to_owned(),
            digest,
            arguments: arguments.to_owned(),
            text: output.content,
        })
    }

    /// What the strategy puts beside a message that names no skill.
    fn route(&mut self, task: &str) -> Result<Vec<UserPart>, TurnError> {
        match self.session.prompt.settings.strategy {
            Strategy::Tool => Ok(Vec::new()),
            Strategy::Router => {
                let chosen = self.chosen(task)?;
                let parts = chosen
                    .iter()
                    .map(|name| self.activate(name, "", Trigger::Router));
                parts.collect()
            }
            Strategy::Hybrid => {
                let (mut names, close) = router::candidates(&self.runtime.shelf, task);
                if close {
                    let chosen = self.chosen(task)?;
                    names.retain(|name| !chosen.contains(name));
                    names.splice(0..0, chosen);
                }
                let text = format!(
                    "Skills that may fit, the likeliest first: {}",
                    names.join(", ")
                );
                let note = (!names.is_empty()).then_some(UserPart::Note { text });
                Ok(note.into_iter().collect())
            }
        }
    }

    fn chosen(&mut self, task: &str) -> Result<Vec<String>, TurnError> {
        let choice = router::choose(
            &*self.runtime.provider,
            &self.session.prompt.settings,
            &self.runtime.shelf,
            task,
            &self.cancel,
        )?;
        if let Some(completion) = choice.completion {
            self.count(completion.usage);
        }
        Ok(choice.skills)
    }

    /// Answers a message that only names skills. No model is needed to say that they are there.
    fn acknowledge(&mut self, invocation: &Invocation) -> Result<EndReason, TurnError> {
        let names: Vec<String> = invocation
            .skills
            .iter()
            .map(|name| format!("`{name}"))
            .collect();
        let text = format!("Activated {}{WHAT_NOW}", names.join("`, "));
        self.front.event(&TurnEvent::Text {
            delta: text.clone(),
        });
        self.session.messages.push(Message::Assistant {
            parts: vec![AssistantPart::Text { text }],
        });
        self.save()?;
        Ok(EndReason::Activated)
    }

    /// Asks the model and makes its calls until it makes none.
    fn work(&mut self) -> Result<EndReason, TurnError> {
        loop {
            if let Some(reason) = self.is_spent() {
                return self.stop(reason);
            }
            let completion = match self.ask() {
                Ok(completion) => completion,
                Err(TurnError::Provider(ProviderError::Cancelled)) => {
                    return self.stop(EndReason::Cancelled);
                }
                Err(error) => return Err(error),
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
        let most = self.most_repeats();
        if self.cancel.load(Ordering::Relaxed) {
            Some(EndReason::Cancelled)
        } else if most >= REPEATS.1 {
            Some(EndReason::Repetition)
        } else if self.steps >= limits.steps {
            Some(EndReason::StepLimit)
        } else if limits.session_tokens > 0 && used.input + used.output >= limits.session_tokens {
            Some(EndReason::TokenBudget)
        } else {
            None
        }
    }

    fn most_repeats(&self) -> usize {
        let count = |wanted| self.made.iter().filter(|made| *made == wanted).count();
        self.made.last().map(count).unwrap_or_default()
    }

    /// Ends a turn that has no answer; the session says why.
    fn stop(&mut self, reason: EndReason) -> Result<EndReason, TurnError> {
        let said = STOPPED.iter().find(|(each, _)| *each == reason);
        let text = said.map_or("(stopped)", |(_, text)| *text);
        self.front.event(&TurnEvent::Text { delta: text.into() });
        self.session.messages.push(Message::Assistant {
            parts: vec![AssistantPart::Text { text: text.into() }],
        });
        self.save()?;
        Ok(reason)
    }

    fn ask(&mut self) -> Result<Completion, TurnError> {
        self.steps += 1;
        let settings = self.session.prompt.settings.clone();
        let messages = view(self.session);
        let shape = mode::shape(settings.tool_mode, &self.session.prompt.tools);
        let request = request(self.session, &messages, shape.as_ref());
        let event = Event::new(EventKind::SessionPrompted)
            .session(&self.session.id)
            .detail("messages", self.session.messages.len().to_string())
            .detail("request", digest(&request).to_string());
        self.runtime.host.record(&event)?;
        let front = &mut *self.front;
        let native = settings.tool_mode != crate::settings::ToolMode::JsonSchema;
        let mut on = |delta: Delta<'_>| match delta {
            // An object in the making is nothing to show.
            Delta::Text(text) if native => front.event(&TurnEvent::Text { delta: text.into() }),
            Delta::Text(_) => {}
            Delta::Retry(reason, milliseconds) => front.event(&TurnEvent::Retry {
                reason: reason.into(),
                milliseconds,
            }),
        };
        let completion = self
            .runtime
            .provider
            .complete(&request, &mut on, &self.cancel)?;
        let mut completion =
            mode::incoming(settings.tool_mode, completion, self.session.messages.len());
        if !native {
            for part in &completion.parts {
                if let AssistantPart::Text { text } = part {
                    front.event(&TurnEvent::Text {
                        delta: text.clone(),
                    });
                }
            }
        }
        tame(&mut completion);
        self.count(completion.usage);
        Ok(completion)
    }

    fn count(&mut self, usage: Usage) {
        self.usage.add(usage);
        self.session.state.usage.add(usage);
        if usage != Usage::default() {
            self.front.event(&TurnEvent::Usage(usage));
        }
    }

    fn make(&mut self, calls: &[ToolCall]) -> Result<(), TurnError> {
        let mut results = Vec::new();
        for call in calls {
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

/// The messages as the model of a session reads them.
pub(crate) fn view(session: &Session) -> Vec<Message> {
    let settings = &session.prompt.settings;
    let fitted = plan(session, settings.limits.context_tokens);
    mode::outgoing(settings.tool_mode, fitted.messages)
}

/// A request, as it was or will be made.
pub(crate) fn request<'a>(
    session: &'a Session,
    messages: &'a [Message],
    shape: Option<&'a serde_json::Value>,
) -> ModelRequest<'a> {
    let settings = &session.prompt.settings;
    let native = settings.tool_mode == crate::settings::ToolMode::Native;
    ModelRequest {
        model: settings.model_name(),
        system: &session.prompt.system,
        tools: if native { &session.prompt.tools } else { &[] },
        messages,
        max_tokens: settings.limits.answer_tokens,
        shape,
    }
}

/// The digest of all bytes that a model is given.
pub(crate) fn digest(request: &ModelRequest<'_>) -> Digest {
    Digest::of(&serde_json::to_vec(request).unwrap_or_default())
}

/// Keeps a session from being filled by one call; the call itself will be refused.
fn tame(completion: &mut Completion) {
    for part in &mut completion.parts {
        if let AssistantPart::Call(call) = part
            && call.arguments.len() > MOST_ARGUMENTS
        {
            let size = call.arguments.len();
            call.arguments = format!("[{size} bytes of arguments were left out]");
        }
    }
}

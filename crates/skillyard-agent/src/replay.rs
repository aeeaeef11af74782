//! A session made again from what is on disk, and compared with what was written down.
//!
//! Every byte that a model was given is rendered again: the catalog and the prompt from the
//! skills, envelopes and files from the skills, requests from the messages. What cannot be made
//! again, such as the output of a script, must hash to what the audit log says. The first thing
//! that differs is named.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;
use serde_json::{Map, Value};
use skillyard_audit::Entry;
use skillyard_format::Digest;

use crate::message::{Message, ToolCall, ToolResult, UserPart};
use crate::mode;
use crate::prompt::Prompt;
use crate::session::{INTERRUPTED, Session, State};
use crate::shelf::{Caller, Shelf};
use crate::tool::{LENT, REPEATED, answer, receive};
use crate::turn::{digest, is_own_answer, request, view};

/// The event that a session begins with.
const STARTED: &str = "session.started";

/// An event of the log, as far as a replay needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// Its place in the log.
    pub place: u64,
    /// The session it belongs to.
    pub session: String,
    /// Its kind.
    pub kind: String,
    /// The skill it is about.
    pub skill: Option<String>,
    /// What else it says.
    pub detail: BTreeMap<String, String>,
}

impl Recorded {
    /// An event of the log; what is none gives nothing.
    pub fn of(line: &[u8]) -> Option<Self> {
        let entry = Entry::parse(line)?;
        Some(Self {
            place: entry.seq,
            session: entry.session?.into_owned(),
            kind: entry.event.into_owned(),
            skill: entry.skill.map(std::borrow::Cow::into_owned),
            detail: entry.detail,
        })
    }
}

/// What was compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Replayed {
    /// Messages.
    pub messages: usize,
    /// Requests to the model.
    pub requests: usize,
    /// Envelopes, files and results that were made again.
    pub rendered: usize,
    /// Results that were compared with the log only.
    pub recorded: usize,
}

/// The first thing that differs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Divergence {
    /// The log has nothing where something must be.
    #[error("the log has no {what} for message {message}")]
    Missing {
        /// What must be there.
        what: String,
        /// The message, counted from 1.
        message: usize,
    },
    /// The log says more than the session.
    #[error("event {place} of the log, `{kind}`, has no place in the session")]
    Extra {
        /// Its place in the log.
        place: u64,
        /// Its kind.
        kind: String,
    },
    /// The skills that were offered are others now.
    #[error("the catalog differs: skills were added, removed or described anew since")]
    Catalog,
    /// The prompt is another.
    #[error("the system prompt or the tools differ from what the log says (event {place})")]
    Prompt {
        /// The event.
        place: u64,
    },
    /// A skill is another.
    #[error("message {message}: skill `{skill}` was {then}, and is {now} now")]
    Skill {
        /// The message, counted from 1.
        message: usize,
        /// The skill.
        skill: String,
        /// Its digest then.
        then: String,
        /// Its digest now, or why there is none.
        now: String,
    },
    /// A result is another.
    #[error("message {message}: the result of `{tool}` ({call}) differs from {from}")]
    Result {
        /// The message, counted from 1.
        message: usize,
        /// The tool.
        tool: String,
        /// The call.
        call: String,
        /// What it was compared with.
        from: String,
    },
    /// A request is another.
    #[error("message {message}: the request to the model differs from event {place} of the log")]
    Request {
        /// The message that answered it, counted from 1.
        message: usize,
        /// The event.
        place: u64,
    },
}

struct Replay<'a> {
    shelf: &'a Shelf,
    /// The session so far, made again.
    again: Session,
    events: VecDeque<Recorded>,
    done: Replayed,
}

/// The sessions whose events a replay of this one needs: those it was copied from, and itself.
pub fn sessions(session: &Session) -> Vec<&str> {
    let ancestors = session.state.lineage.iter();
    let ancestors = ancestors.map(|each| each.session.as_str());
    ancestors.chain([session.id.as_str()]).collect()
}

/// Makes a session again, from the events of [`sessions`] in the order of the log. What a copy
/// took over is compared with the log of the session that it was copied from.
pub fn replay(
    session: &Session,
    shelf: &Shelf,
    events: impl IntoIterator<Item = Recorded>,
) -> Result<Replayed, Divergence> {
    // Approvals are between the user and the machine: no model read them.
    let events = events.into_iter();
    let events: Vec<Recorded> = events
        .filter(|event| !event.kind.starts_with("approval."))
        .collect();
    let mut again = session.clone();
    again.messages.clear();
    again.state = State::default();
    let mut replay = Replay {
        shelf,
        again,
        events: VecDeque::new(),
        done: Replayed::default(),
    };
    let names = sessions(session);
    let ends = session.state.lineage.iter().map(|each| each.messages);
    let ends: Vec<usize> = ends.chain([session.messages.len()]).collect();
    let mut from = 0;
    for (at, (name, end)) in names.iter().zip(ends).enumerate() {
        // An ancestor may have gone on since; only what was before the copy counts.
        let copied = names.get(at + 1).and_then(|next| {
            let mut started = events.iter().filter(|event| event.session == **next);
            Some(started.find(|event| event.kind == STARTED)?.place)
        });
        let own = events.iter().filter(|event| event.session == **name);
        let own = own.filter(|event| copied.is_none_or(|place| event.place < place));
        replay.events = own.cloned().collect();
        replay.begin(session)?;
        let end = end.min(session.messages.len());
        for message in session.messages.get(from..end).unwrap_or_default() {
            replay.message(message)?;
        }
        from = end.max(from);
        if at + 1 < names.len() {
            replay.requests()?;
            replay.releases();
        }
    }
    replay.requests()?;
    replay.releases();
    match replay.events.pop_front() {
        None => Ok(replay.done),
        Some(event) => Err(Divergence::Extra {
            place: event.place,
            kind: event.kind,
        }),
    }
}

impl Replay<'_> {
    fn number(&self) -> usize {
        self.again.messages.len() + 1
    }

    fn begin(&mut self, session: &Session) -> Result<(), Divergence> {
        let event = self.expect(STARTED, |_| true)?;
        // What servers lend is theirs to change; the log vouches for what it was.
        let lent = session.prompt.tools.iter();
        let lent = lent.filter(|tool| tool.name.starts_with(LENT));
        let lent = lent.cloned().collect();
        let prompt = Prompt::with_lent(self.shelf, &session.prompt.settings, lent);
        if event.detail.get("catalog") != Some(&prompt.catalog) {
            return Err(Divergence::Catalog);
        }
        let said = event.detail.get("prompt");
        for digest in [session.prompt.digest(), prompt.digest()] {
            if said != Some(&digest.to_string()) {
                return Err(Divergence::Prompt { place: event.place });
            }
        }
        Ok(())
    }

    fn message(&mut self, message: &Message) -> Result<(), Divergence> {
        let asked = self.requests()?;
        match message {
            Message::User { parts } => {
                self.releases();
                for part in parts {
                    self.part(part)?;
                }
            }
            Message::Assistant { .. } if asked || is_own_answer(&message.words()) => {}
            Message::Assistant { .. } => return Err(self.missing("request")),
            Message::Tool { results } => {
                let calls: Vec<ToolCall> = match self.again.messages.last() {
                    Some(last) => last.calls().into_iter().cloned().collect(),
                    None => Vec::new(),
                };
                for result in results {
                    let call = calls.iter().find(|call| call.id == result.id);
                    self.result(call, result)?;
                }
            }
        }
        self.again.messages.push(message.clone());
        self.done.messages += 1;
        Ok(())
    }

    /// Compares the requests that were made at this point; tells whether there were any.
    fn requests(&mut self) -> Result<bool, Divergence> {
        let here = self.again.messages.len().to_string();
        let mut asked = false;
        while let Some(event) = self.events.front() {
            let is_here = event.detail.get("messages") == Some(&here);
            if event.kind != "session.prompted" || !is_here {
                break;
            }
            let messages = view(&self.again);
            let settings = &self.again.prompt.settings;
            let shape = mode::shape(settings.tool_mode, &self.again.prompt.tools);
            let made = digest(&request(&self.again, &messages, shape.as_ref())).to_string();
            if event.detail.get("request") != Some(&made) {
                return Err(Divergence::Request {
                    message: self.number(),
                    place: event.place,
                });
            }
            self.events.pop_front();
            self.done.requests += 1;
            asked = true;
        }
        Ok(asked)
    }

    fn releases(&mut self) {
        while let Some(event) = self.events.front() {
            if event.kind != "skill.released" {
                break;
            }
            let skill = event.skill.clone().unwrap_or_default();
            self.again.release(&skill);
            self.events.pop_front();
        }
    }

    fn part(&mut self, part: &UserPart) -> Result<(), Divergence> {
        let UserPart::Skill {
            name,
            digest,
            arguments,
            text,
        } = part
        else {
            return Ok(());
        };
        let message = self.number();
        let differs = |now: String| Divergence::Skill {
            message,
            skill: name.clone(),
            then: digest.clone(),
            now,
        };
        // Users and routers may load different skills; which of them it was does not matter here.
        let loaded = self
            .shelf
            .load(name, arguments, Caller::User)
            .or_else(|_| self.shelf.load(name, arguments, Caller::Model))
            .map_err(|error| differs(error.to_string()))?;
        let now = loaded.digest.to_string();
        let output = receive(loaded, &self.again.state);
        if now != *digest || output.content != *text {
            return Err(differs(now));
        }
        if let Some(activation) = output.activated {
            let rendered = activation.rendered.to_string();
            self.expect("skill.activated", |event| {
                event.skill.as_deref() == Some(name)
                    && event.detail.get("rendered") == Some(&rendered)
            })?;
            self.again
                .activate(name, &activation.digest, &activation.rendered);
        }
        self.done.rendered += 1;
        Ok(())
    }

    fn result(&mut self, call: Option<&ToolCall>, result: &ToolResult) -> Result<(), Divergence> {
        let message = self.number();
        let differs = |from: String| Divergence::Result {
            message,
            tool: result.name.clone(),
            call: result.id.clone(),
            from,
        };
        let is_event = |event: &Recorded| event.detail.get("call") == Some(&result.id);
        if result.content == INTERRUPTED {
            if self.events.front().is_some_and(is_event) {
                self.events.pop_front();
            }
            return Ok(());
        }
        let output = Digest::of(result.content.as_bytes()).to_string();
        let Some(event) = self.events.pop_front().filter(is_event) else {
            return Err(self.missing(&format!("call {}", result.id)));
        };
        if event.detail.get("output") != Some(&output) {
            return Err(differs(format!("event {} of the log", event.place)));
        }
        let call = call.ok_or_else(|| differs("the call before it".into()))?;
        let arguments: Map<String, Value> =
            serde_json::from_str(&call.arguments).unwrap_or_default();
        // What was denied was not made.
        let denied = event.kind == "skill.tool_blocked";
        let state = &self.again.state;
        match answer(&result.name, &arguments, self.shelf, state).filter(|_| !denied) {
            Some(made) => {
                let (mut content, activation) = match made {
                    Ok(output) => (output.content, output.activated),
                    Err(problem) => (problem, None),
                };
                if result.content.ends_with(REPEATED) {
                    content.push_str(REPEATED);
                }
                if content != result.content {
                    return Err(differs("what the skill gives now".into()));
                }
                if let Some(activation) = activation {
                    let (name, digest) = (&activation.name, &activation.digest);
                    self.again.activate(name, digest, &activation.rendered);
                }
                self.done.rendered += 1;
            }
            None => self.done.recorded += 1,
        }
        Ok(())
    }

    /// The next event, which must be this one.
    fn expect(
        &mut self,
        kind: &str,
        is_it: impl Fn(&Recorded) -> bool,
    ) -> Result<Recorded, Divergence> {
        let found = self.events.pop_front();
        let found = found.filter(|event| event.kind == kind && is_it(event));
        found.ok_or_else(|| self.missing(&format!("`{kind}`")))
    }

    fn missing(&self, what: &str) -> Divergence {
        Divergence::Missing {
            what: what.to_owned(),
            message: self.number(),
        }
    }
}

//! A session made again from the store and the disk, and compared with what was written down.
//!
//! Every byte that a model was given is rendered again: the catalog and the prompt from the
//! skills, envelopes and files from the skills, requests from the messages. What cannot be made
//! again, such as the output of a script, must hash to what the audit log says. The first thing
//! that differs is named.

mod again;

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use serde::Serialize;
use skillyard_audit::{AuditEntry, AuditError, Filter, Outcome, read};

use again::{ModelTimeline, Replay};

use crate::session::{Session, SessionState};
use crate::shelf::Shelf;

/// The event that a session begins with.
const STARTED: &str = "session.started";

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

/// The sessions whose events a replay of this one needs: those it was copied from, and itself.
pub fn sessions(session: &Session) -> Vec<&str> {
    let ancestors = session.state.lineage.iter();
    let ancestors = ancestors.map(|each| each.session.as_str());
    ancestors.chain([session.id.as_str()]).collect()
}

/// The events of [`sessions`] in a log.
pub fn events(session: &Session, log: &Path) -> Result<Vec<Recorded>, AuditError> {
    let mut events = Vec::new();
    for name in sessions(session) {
        let filter = Filter {
            session: Some(name.to_owned()),
            ..Filter::default()
        };
        let reading = read(log, &filter)?;
        events.extend(reading.lines.iter().filter_map(|line| Recorded::of(line)));
    }
    Ok(events)
}

/// Makes a session again, from its [`events`] in the order of the log. What a copy
/// took over is compared with the log of the session that it was copied from. Of a skill of which the
/// shelf has several editions, each use is made again with the one that it was made with.
pub fn replay(
    session: &Session,
    shelf: &mut Shelf,
    events: impl IntoIterator<Item = Recorded>,
) -> Result<Replayed, Divergence> {
    // Approvals are between the user and the machine, and so is that a script or a call begins, or
    // that a skill which the user or a router named was refused: no model read them.
    let is_read = |event: &Recorded| {
        !event.kind.starts_with("approval.")
            && !matches!(&*event.kind, "skill.script_started" | "skill.tool_started")
            && (event.detail.contains_key("call") || !event.is_refusal())
    };
    let events: Vec<Recorded> = events.into_iter().filter(is_read).collect();
    let mut again = session.clone();
    again.messages.clear();
    again.state = SessionState::default();
    let mut replay = Replay {
        shelf,
        again,
        models: ModelTimeline::of(session),
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
            replay.between_turns()?;
        }
    }
    replay.requests()?;
    replay.between_turns()?;
    match replay.events.pop_front() {
        None => Ok(replay.done),
        Some(event) => Err(Divergence::Extra {
            place: event.place,
            kind: event.kind,
        }),
    }
}

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
    /// What that consisted of.
    pub digest: Option<String>,
    /// Whether what was wanted was done.
    pub done: bool,
    /// What else it says.
    pub detail: BTreeMap<String, String>,
}

impl Recorded {
    /// An event of the log; what is none gives nothing.
    pub fn of(line: &[u8]) -> Option<Self> {
        let entry = AuditEntry::parse(line)?;
        Some(Self {
            place: entry.seq,
            session: entry.session?.into_owned(),
            kind: entry.event.into_owned(),
            skill: entry.skill.map(std::borrow::Cow::into_owned),
            digest: entry.digest.map(std::borrow::Cow::into_owned),
            done: entry.outcome == Outcome::Ok.as_str(),
            detail: entry.detail,
        })
    }

    /// Whether a skill did not become active because its files were altered, or
    /// because it was too much for the session.
    fn is_refusal(&self) -> bool {
        self.kind == "skill.activated" && !self.detail.contains_key("rendered")
    }
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
    #[error("the catalog differs: {}", others(.gone, .changed))]
    Catalog {
        /// Skills that are not there any more.
        gone: Vec<String>,
        /// Skills that are known to be others now.
        changed: Vec<String>,
    },
    /// The prompt is another.
    #[error(
        "the system prompt or the tools differ from what the log says (event {place}), as they do where another version of Skillyard held the session"
    )]
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

fn others(gone: &[String], changed: &[String]) -> String {
    let mut told = Vec::new();
    for (names, what) in [
        (gone, "cannot be loaded any more"),
        (changed, "cannot be loaded as it was"),
    ] {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        if !names.is_empty() {
            told.push(format!("{} {what}", names.join(", ")));
        }
    }
    if told.is_empty() {
        return "the description of a skill has changed".into();
    }
    told.join("; ")
}

//! A session made again from the store and the disk, and compared with what was written down.
//!
//! Every byte that a model was given is rendered again: the catalog and the prompt from the
//! skills, envelopes and files from the skills, requests from the messages. What cannot be made
//! again, such as the output of a script, must hash to what the audit log says. The first thing
//! that differs is named.

mod again;
mod divergence;
mod held;
mod recorded;

use std::collections::VecDeque;
use std::path::Path;

use serde::Serialize;
use skillyard_audit::{AuditError, Filter, read};

use again::Replay;
pub use divergence::Divergence;
use held::Held;
pub use recorded::Recorded;

use crate::session::{Session, State};
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
    again.state = State::default();
    let mut replay = Replay {
        shelf,
        again,
        held: Held::of(session),
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

//! What the audit log says about changes of what is installed, whichever process ends them.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use skillyard_audit::{Event, EventKind, Outcome, Recorder};
use skillyard_install::change_audit::{ChangeOutcome, unique};
use skillyard_install::lockfile::Locked;
use skillyard_install::plan::{Plan, SkillChange};
use skillyard_install::scope::Scope;
use skillyard_trust::verdict::{Verdict, assess};

use crate::context::Context;
use crate::error::CommandError;
use crate::installed;
use crate::permission::trust_policy;

/// The detail that the events of one change have in common.
const TRANSACTION: &str = "transaction";

/// How the question was answered whether a skill may be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Somebody was asked and said yes.
    User,
    /// A flag said so beforehand.
    Flag,
}

impl Answer {
    /// The answer that there must have been for something to go on.
    pub(crate) fn given(yes: bool) -> Self {
        if yes { Self::Flag } else { Self::User }
    }
}

/// How it came that a skill is installed; each is a detail of its event.
#[derive(Debug, Clone, Default)]
pub(crate) struct Circumstances {
    /// Who allowed it: `policy`, `user` or `--yes`.
    pub(crate) approval: Option<&'static str>,
    /// The codes of findings that it is installed in spite of.
    pub(crate) accepted: Vec<String>,
}

/// The log, ready for the events of one change.
#[derive(Debug)]
pub(crate) struct Chronicle {
    note: Note,
    recorder: Option<Recorder>,
}

/// What there is to write down.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    transaction: String,
    events: Vec<Event>,
}

impl Chronicle {
    /// Fails where nothing can be written down.
    pub(crate) fn ready(
        context: &Context,
        plan: &Plan,
        circumstances: &dyn Fn(&str) -> Circumstances,
    ) -> Result<Self, CommandError> {
        let transaction = unique();
        let mut note = Note {
            events: Vec::new(),
            transaction,
        };
        if plan.changes.is_empty() {
            let recorder = None;
            return Ok(Self { note, recorder });
        }
        let recorder = Some(context.ready_to_record()?);
        let policy = trust_policy(context, &context.config()?)?;
        let changes = plan.changes.iter();
        let events = changes.map(|change| match arrived(change) {
            None => event(change),
            Some(entry) => {
                let verdict = assess(&policy, &installed::provenance_of(entry));
                let circumstances = circumstances(&entry.name);
                with_details(event(change), entry, &verdict, circumstances)
            }
        });
        note.events = events
            .map(|event| event.detail(TRANSACTION, &note.transaction))
            .collect();
        Ok(Self { note, recorder })
    }

    fn record(&self, events: &[Event]) -> Result<(), CommandError> {
        if let Some(recorder) = &self.recorder {
            recorder.record_all(events)?;
        }
        Ok(())
    }
}

impl skillyard_install::change_audit::ChangeAudit<CommandError> for Chronicle {
    fn note(&self) -> String {
        match &self.recorder {
            Some(_) => serde_json::to_string(&self.note).unwrap_or_default(),
            None => String::new(),
        }
    }

    fn happens(&self) -> Result<(), CommandError> {
        self.record(&self.note.events)
    }

    fn undone(&self, reason: &io::Error) -> Result<(), CommandError> {
        let events = self.note.events.iter().cloned();
        let undone: Vec<Event> = events
            .map(|event| event.ended(Outcome::Failed, format!("undone: {reason}")))
            .collect();
        self.record(&undone)
    }
}

/// What was done, for the log.
fn event(change: &SkillChange) -> Event {
    match change {
        SkillChange::Added { to } | SkillChange::Restored { to } => {
            about(EventKind::SkillInstalled, to)
        }
        SkillChange::Changed { from, to } => {
            about(EventKind::SkillUpdated, to).detail("before", from.digest.to_string())
        }
        SkillChange::Repaired { to } => {
            about(EventKind::SkillUpdated, to).detail("repaired", "yes")
        }
        SkillChange::Removed { from } => about(EventKind::SkillRemoved, from),
    }
}

/// What a change brings that was not there before.
fn arrived(change: &SkillChange) -> Option<&Locked> {
    match change {
        SkillChange::Added { to }
        | SkillChange::Restored { to }
        | SkillChange::Changed { to, .. } => Some(to),
        SkillChange::Repaired { .. } | SkillChange::Removed { .. } => None,
    }
}

/// With how far it is trusted, and how it came.
fn with_details(
    event: Event,
    entry: &Locked,
    verdict: &Verdict,
    circumstances: Circumstances,
) -> Event {
    let Circumstances { approval, accepted } = circumstances;
    let accepted = Some(accepted.join(",")).filter(|codes| !codes.is_empty());
    let details = [
        ("version", entry.version.clone()),
        ("commit", entry.commit.clone()),
        ("signer", entry.signer.clone()),
        ("scripts", Some(verdict.scripts.as_str().to_owned())),
        ("approval", approval.map(str::to_owned)),
        ("accepted", accepted),
    ];
    let details = details.into_iter();
    let details = details.filter_map(|(name, value)| Some((name, value?)));
    details.fold(event.tier(verdict.tier.as_str()), |event, (name, value)| {
        event.detail(name, value)
    })
}

/// What every event about an entry of the lock says.
fn about(kind: EventKind, entry: &Locked) -> Event {
    let event = Event::new(kind)
        .skill(&entry.name)
        .digest(entry.digest.to_string())
        .source(entry.reference())
        .trigger("user");
    match &entry.url {
        Some(url) => event.origin(url),
        None => event,
    }
}

/// Writes down what a process that was ended had begun, as far as it did not.
pub(crate) fn catch_up(context: &Context, note: &str, ending: ChangeOutcome<'_>) -> io::Result<()> {
    let Note {
        transaction,
        events,
    } = serde_json::from_str(note)?;
    // What was told of each skill: that it happened, that it did not.
    let mut told: BTreeSet<(String, String, bool)> = BTreeSet::new();
    let logs = context.environment.logs_folder();
    let read = skillyard_audit::for_each_entry(&logs, |_, entry| {
        if entry.detail.get(TRANSACTION) == Some(&transaction) {
            let skill = entry.skill.clone().unwrap_or_default();
            let failed = entry.outcome == Outcome::Failed.as_str();
            told.insert((entry.event.to_string(), skill.into_owned(), failed));
        }
    });
    read.map_err(io::Error::other)?;
    let is_told = |event: &Event, failed: bool| {
        let skill = event.skill.clone().unwrap_or_default();
        told.contains(&(event.kind.to_string(), skill, failed))
    };
    let events = events.into_iter();
    let untold: Vec<Event> = match ending {
        ChangeOutcome::Happens => events
            .filter(|event| !is_told(event, false) || is_told(event, true))
            .collect(),
        // Nobody needs to take back what nobody said.
        ChangeOutcome::Undone(reason) => events
            .filter(|event| is_told(event, false) && !is_told(event, true))
            .map(|event| event.ended(Outcome::Failed, format!("undone: {reason}")))
            .collect(),
    };
    if untold.is_empty() {
        return Ok(());
    }
    let untold = untold.into_iter();
    let untold: Vec<Event> = untold
        .map(|event| event.detail("interrupted", "yes"))
        .collect();
    let recorder = context.recorder().map_err(io::Error::other)?;
    recorder.record_all(&untold).map_err(io::Error::other)
}

/// Ends what was begun in a project before it was moved. What cannot be ended now is told by whoever
/// changes something.
pub(crate) fn recover_moved(context: &Context, scope: &Scope) {
    let catch_up = |note: &str, ending: ChangeOutcome<'_>| catch_up(context, note, ending);
    let _ = skillyard_install::recover_moved(scope, &catch_up);
}

/// Ends what processes that were ended had begun; the journals that cannot be worked off, and why.
pub(crate) fn recover(context: &Context) -> Vec<(PathBuf, io::Error)> {
    let home = &context.environment.skillyard_home;
    skillyard_install::recover_all(home, &|note, ending| catch_up(context, note, ending))
}

//! What the audit log says about changes of what is installed, whichever process ends them.

use std::io;

use skillyard_audit::{Event, EventKind, Outcome, Recorder};
use skillyard_install::change_audit::unique;
use skillyard_install::lockfile::Locked;
use skillyard_install::plan::{Plan, SkillChange};
use skillyard_trust::verdict::{Verdict, assess};

use crate::context::Context;
use crate::error::CommandError;
use crate::library::installed;
use crate::library::permission::trust_policy;
use crate::scope::{PendingEvents, TRANSACTION};

/// How the question was answered whether a skill may be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstallConsent {
    /// Somebody was asked and said yes.
    User,
    /// A flag said so beforehand.
    Flag,
}

impl InstallConsent {
    /// The answer that there must have been for something to go on.
    pub(crate) fn given(yes: bool) -> Self {
        if yes { Self::Flag } else { Self::User }
    }
}

/// How it came that a skill is installed; each is a detail of its event.
#[derive(Debug, Clone, Default)]
pub(crate) struct InstallDetails {
    /// Who allowed it: `policy`, `user` or `--yes`.
    pub(crate) approval: Option<&'static str>,
    /// The codes of findings that it is installed in spite of.
    pub(crate) accepted: Vec<String>,
}

/// The log, ready for the events of one change.
#[derive(Debug)]
pub(crate) struct ChangeAudit {
    note: PendingEvents,
    recorder: Option<Recorder>,
}

impl ChangeAudit {
    /// Fails where nothing can be written down.
    pub(crate) fn ready(
        context: &Context,
        plan: &Plan,
        circumstances: &dyn Fn(&str) -> InstallDetails,
    ) -> Result<Self, CommandError> {
        let transaction = unique();
        let mut note = PendingEvents {
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

impl skillyard_install::change_audit::ChangeAudit<CommandError> for ChangeAudit {
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
    circumstances: InstallDetails,
) -> Event {
    let InstallDetails { approval, accepted } = circumstances;
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

//! How a skill was used, from the audit log.

use std::collections::HashMap;
use std::path::Path;

use parking_lot::Mutex;
use serde::Serialize;
use skillyard_audit::{AuditEntry, AuditError, LogFollower, for_each_entry};
use utoipa::ToSchema;

/// How many changes are told.
const MAX_CHANGES: usize = 20;
/// How many skills are counted; nobody has more that are worth looking at.
const MAX_SKILLS: usize = 10_000;

/// How a skill was used.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub(crate) struct Usage {
    /// How often it entered a session.
    pub(crate) activations: usize,
    /// How often one of its files was read.
    pub(crate) reads: usize,
    /// How often one of its scripts was run.
    pub(crate) runs: usize,
    /// How often something about it failed.
    pub(crate) failures: usize,
    /// How often something about it was denied.
    pub(crate) denials: usize,
    /// When it was last used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last: Option<String>,
    /// What became of it, the newest first.
    pub(crate) changes: Vec<SkillChange>,
}

/// Something that became of a skill.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Change)]
pub(crate) struct SkillChange {
    /// When.
    pub(crate) time: String,
    /// `installed`, `updated`, `removed`, `enabled` or `disabled`.
    pub(crate) what: String,
    /// What it consisted of from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) digest: Option<String>,
    /// Where it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<String>,
}

/// How every skill was used. The log is read once; after that only what was added to it, so that a
/// long log makes no page slow.
#[derive(Default)]
pub(crate) struct Usages {
    counted: Mutex<Option<Counted>>,
}

struct Counted {
    follow: LogFollower,
    /// The last event that was counted.
    last: u64,
    skills: HashMap<String, Usage>,
}

impl Usages {
    /// What the log in a folder says about a skill.
    pub(crate) fn of(&self, folder: &Path, skill: &str) -> Result<Usage, AuditError> {
        let mut counted = self.counted.lock();
        let known = match &mut *counted {
            Some(known) => known,
            none => none.insert(Counted::begin(folder)?),
        };
        known.go_on(folder)?;
        let mut usage = known.skills.get(skill).cloned().unwrap_or_default();
        usage.changes.reverse();
        Ok(usage)
    }
}

impl Counted {
    fn begin(folder: &Path) -> Result<Self, AuditError> {
        // What is written between the two is seen twice, and counted once.
        let mut counted = Self {
            follow: LogFollower::new(folder)?,
            last: 0,
            skills: HashMap::new(),
        };
        let mut last = 0;
        for_each_entry(folder, |_, entry| {
            last = entry.seq;
            counted.count(entry);
        })?;
        counted.last = last;
        Ok(counted)
    }

    fn go_on(&mut self, folder: &Path) -> Result<(), AuditError> {
        for line in self.follow.poll()? {
            let Some(entry) = AuditEntry::parse(&line).filter(|entry| entry.seq > self.last) else {
                continue;
            };
            if entry.seq != self.last + 1 {
                // Whole files were put aside since the last look.
                *self = Self::begin(folder)?;
                return Ok(());
            }
            self.last = entry.seq;
            self.count(&entry);
        }
        Ok(())
    }

    fn count(&mut self, entry: &AuditEntry<'_>) {
        let Some(name) = entry.skill.as_deref() else {
            return;
        };
        if let Some(usage) = self.skills.get_mut(name) {
            usage.count(entry);
        } else if self.skills.len() < MAX_SKILLS {
            let usage = self.skills.entry(name.to_owned()).or_default();
            usage.count(entry);
        }
    }
}

impl Usage {
    fn count(&mut self, entry: &AuditEntry<'_>) {
        let counter = match &*entry.event {
            "skill.activated" => Some(&mut self.activations),
            "skill.resource_read" => Some(&mut self.reads),
            "skill.script_executed" => Some(&mut self.runs),
            _ => None,
        };
        let time = entry.time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        // What was denied did not happen, nor did a load or a reading that failed.
        let happened = match &*entry.outcome {
            "ok" => true,
            "failed" => entry.event == "skill.script_executed",
            _ => false,
        };
        if let Some(counter) = counter.filter(|_| happened) {
            *counter += 1;
            self.last = Some(time.clone());
        }
        match &*entry.outcome {
            // A call that a skill only allowed is none of its own.
            "failed" if entry.detail.contains_key("pattern") => {}
            "failed" => self.failures += 1,
            "denied" => self.denials += 1,
            _ => {}
        }
        let what = entry.event.strip_prefix("skill.").unwrap_or_default();
        if ["installed", "updated", "removed", "enabled", "disabled"].contains(&what) {
            if self.changes.len() >= MAX_CHANGES {
                self.changes.remove(0);
            }
            self.changes.push(SkillChange {
                time,
                what: what.to_owned(),
                digest: entry.digest.as_deref().map(str::to_owned),
                source: entry.source.as_deref().map(str::to_owned),
            });
        }
    }
}

/// A time of the log as people read it, to the minute.
pub(crate) fn minute(time: &str) -> String {
    let minute = time.get(..16).unwrap_or(time);
    minute.replace('T', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillyard_audit::{AuditLog, Event, EventKind, Options, Outcome};

    #[test]
    fn nothing_is_lost_when_files_are_put_aside_between_two_looks() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options {
            max_bytes: 2_000,
            ..Options::default()
        };
        let log = AuditLog::open(folder.path(), options).unwrap();
        let usages = Usages::default();
        let mut wanted = 0;
        for times in [3, 1, 40, 0, 7] {
            for _ in 0..times {
                let event = Event::new(EventKind::SkillActivated).skill("pdf");
                log.append(jiff::Timestamp::UNIX_EPOCH, "test", &event)
                    .unwrap();
            }
            wanted += times;
            let usage = usages.of(folder.path(), "pdf").unwrap();
            assert_eq!(usage.activations, wanted);
        }
        assert_eq!(usages.of(folder.path(), "none").unwrap().activations, 0);
    }

    #[test]
    fn what_was_denied_was_not_used() {
        let mut usage = Usage::default();
        let denied = Event::new(EventKind::SkillActivated).ended(Outcome::Denied, "altered");
        for event in [denied, Event::new(EventKind::SkillActivated)] {
            let folder = tempfile::tempdir().unwrap();
            let log = AuditLog::open(folder.path(), Options::default()).unwrap();
            let now = jiff::Timestamp::UNIX_EPOCH;
            log.append(now, "test", &event.skill("pdf")).unwrap();
            for_each_entry(folder.path(), |_, entry| usage.count(entry)).unwrap();
        }
        assert_eq!((usage.activations, usage.denials), (1, 1));
    }
}

//! How a skill was used, from the audit log.

use std::path::Path;

use serde::Serialize;
use skillyard_audit::{AuditError, Entry, Filter, read};
use utoipa::ToSchema;

/// How many changes are told.
const MOST_CHANGES: usize = 20;

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
    pub(crate) changes: Vec<Change>,
}

/// Something that became of a skill.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Change {
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

impl Usage {
    /// What the log in a folder says about a skill.
    pub(crate) fn of(folder: &Path, skill: &str) -> Result<Self, AuditError> {
        let filter = Filter {
            skill: Some(skill.to_owned()),
            ..Filter::default()
        };
        let mut usage = Self::default();
        for line in &read(folder, &filter)?.lines {
            if let Some(entry) = Entry::parse(line) {
                usage.count(&entry);
            }
        }
        usage.changes.reverse();
        usage.changes.truncate(MOST_CHANGES);
        Ok(usage)
    }

    fn count(&mut self, entry: &Entry<'_>) {
        let counter = match &*entry.event {
            "skill.activated" => Some(&mut self.activations),
            "skill.resource_read" => Some(&mut self.reads),
            "skill.script_executed" => Some(&mut self.runs),
            _ => None,
        };
        let time = entry.time.strftime("%Y-%m-%d %H:%M").to_string();
        if let Some(counter) = counter {
            *counter += 1;
            self.last = Some(time.clone());
        }
        match &*entry.outcome {
            "failed" => self.failures += 1,
            "denied" => self.denials += 1,
            _ => {}
        }
        let what = entry.event.strip_prefix("skill.").unwrap_or_default();
        if ["installed", "updated", "removed", "enabled", "disabled"].contains(&what) {
            self.changes.push(Change {
                time,
                what: what.to_owned(),
                digest: entry.digest.as_deref().map(str::to_owned),
                source: entry.source.as_deref().map(str::to_owned),
            });
        }
    }
}

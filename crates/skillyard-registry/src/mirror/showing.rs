//! The end of a run: everything that was taken in is shown at once.
//!
//! A client believes an index only as far as the signed length of the log reaches. What arrives is
//! therefore seen by nobody before that length is here, too, and a run that is broken off leaves
//! what is served as it was.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use semver::Version;
use skillyard_format::{Namespace, QualifiedName};
use skillyard_trust::transparency::SignedCheckpoint;
use sqlx::AnyConnection;

use super::{Mirror, MirrorEntry, MirrorError, MirrorState};
use crate::names;
use crate::role::Role;
use crate::store::logged::{self, LoggedRow};
use crate::store::{
    arrivals, checkpoints, namespaces, owners, roles, skills, tags, upstream, versions,
};

/// Entries that could not be had, by name and version, and why.
pub type Missing = BTreeMap<(String, String), String>;

/// All that a run brought.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// The length of the log that was signed.
    pub signed: &'a SignedCheckpoint,
    /// The entries up to there that were not here.
    pub new: &'a [MirrorEntry],
    /// Those that could not be had, of these and of those before.
    pub missing: &'a Missing,
    /// What skills are like now.
    pub states: &'a [(QualifiedName, MirrorState)],
    /// The last change of the other registry that was looked at.
    pub sequence: i64,
}

impl Mirror<'_> {
    /// Shows all of a run: what arrived, what became of skills, and what was signed over it.
    pub async fn finish(&mut self, run: Run<'_>) -> Result<(), MirrorError> {
        let (database, now) = (&self.registry.database, self.registry.now());
        let before = logged::missing(database).await?;
        let count = i64::try_from(run.new.len()).unwrap_or(i64::MAX);
        // A number for each entry, and one for what became of skills.
        let (mut change, last) = database.changes(count + 1).await?;
        let length = logged::length(&mut change).await?;
        if i64::try_from(run.signed.checkpoint.size).ok() != length.checked_add(count) {
            return Err(MirrorError::Overtaken);
        }
        let mut names = BTreeSet::new();
        for row in before {
            if shown(&mut change, &row, run.missing, now).await?.is_ok() {
                logged::remove_missing(&mut change, row.sequence).await?;
                names.insert(row.skill);
            }
        }
        for (sequence, entry) in (last - count..).zip(run.new) {
            let row = LoggedRow {
                skill: entry.name.to_string(),
                version: entry.version.to_string(),
                digest: entry.digest,
                signer: entry.signer.clone(),
                sequence,
            };
            match shown(&mut change, &row, run.missing, now).await? {
                Ok(()) => {
                    names.insert(row.skill);
                }
                Err(reason) => logged::add_missing(&mut change, &row, &reason).await?,
            }
        }
        for name in names {
            skills::refresh(&mut change, &name, last).await?;
        }
        for (name, state) in run.states {
            refresh(&mut change, name, state, last, now).await?;
        }
        arrivals::clear(&mut change).await?;
        checkpoints::keep(&mut *change, run.signed).await?;
        self.upstream.sequence = run.sequence;
        upstream::keep(&mut *change, &self.upstream).await?;
        change.commit().await?;
        Ok(())
    }
}

/// Makes a version of what arrived for an entry, or says why there is none.
async fn shown(
    change: &mut AnyConnection,
    row: &LoggedRow,
    missing: &Missing,
    now: Timestamp,
) -> Result<Result<(), String>, MirrorError> {
    if let Some(reason) = missing.get(&(row.skill.clone(), row.version.clone())) {
        return Ok(Err(reason.clone()));
    }
    let (Ok(name), Ok(version)) = (row.skill.parse(), Version::parse(&row.version)) else {
        return Ok(Err("it has no name or no version".to_owned()));
    };
    let Some(found) = arrivals::find(change, &row.skill, &version).await? else {
        return Ok(Err("it did not arrive".to_owned()));
    };
    let folded = names::folded(&name);
    match skills::lookalike(change, &folded).await? {
        None => {
            let time = found.published.parse().unwrap_or(now);
            skills::add(change, &name, &folded, &version, row.sequence, time).await?;
        }
        Some(other) if other == row.skill => {}
        Some(other) => return Ok(Err(format!("its name looks like `{other}`"))),
    }
    arrivals::show(change, &row.skill, &version, row.sequence).await?;
    Ok(Ok(()))
}

/// Brings what can change about a skill up to date; one that is not here yet comes with its
/// first version.
async fn refresh(
    change: &mut AnyConnection,
    name: &QualifiedName,
    state: &MirrorState,
    sequence: i64,
    now: Timestamp,
) -> Result<(), MirrorError> {
    let text = name.as_str();
    let numbers = versions::numbers(change, text).await?;
    if numbers.is_empty() {
        return Ok(());
    }
    for (version, _) in &numbers {
        let yanked = state.yanked.iter().find(|(each, _)| each == version);
        let reason = yanked.map(|(_, reason)| reason.as_str());
        versions::set_yanked(change, text, version, reason).await?;
    }
    tags::clear(change, text).await?;
    for (tag, version) in &state.tags {
        if numbers.iter().any(|(each, _)| each == version) {
            tags::set(change, text, tag, version, now).await?;
        }
    }
    skills::set_deprecated(change, text, state.deprecated.as_deref(), sequence).await?;
    // Who is none there any more is none here.
    roles::FOR_SKILLS.clear(change, text).await?;
    for owner in &state.owners {
        roles::FOR_SKILLS
            .set(change, text, owner, Role::Owner, now)
            .await?;
    }
    if let Some(namespace) = name.namespace() {
        ensure(change, namespace, now).await?;
        let roles = roles::IN_NAMESPACES;
        let within = namespace.as_str();
        // It has the owners of all its skills.
        roles.clear(change, within).await?;
        for owner in owners::within(change, within).await? {
            roles.set(change, within, &owner, Role::Owner, now).await?;
        }
    }
    skills::refresh(change, text, sequence).await?;
    Ok(())
}

/// Makes a namespace, unless it is there.
async fn ensure(
    change: &mut AnyConnection,
    namespace: &Namespace,
    now: Timestamp,
) -> Result<(), MirrorError> {
    let folded = names::folded_text(namespace.as_str());
    if namespaces::lookalike(change, &folded).await?.is_none() {
        namespaces::add(change, namespace, &folded, now).await?;
    }
    Ok(())
}

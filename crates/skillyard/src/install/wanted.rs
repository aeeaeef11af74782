//! What a scope wants beyond its lock.

use std::fmt;

use skillyard_install::candidate::Candidate;
use skillyard_install::lockfile::{Gap, Locked, Lockfile};
use skillyard_install::manifest::Manifest;

use super::renaming::named;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::source_resolver::SourceResolver;
use crate::scope::{ScopeContext, after, is_asked_for, needed_by};

/// Where the lock is not what it should be.
#[derive(Debug, Default)]
pub(crate) struct Difference {
    /// Names and references that are not locked, or locked otherwise.
    pub(crate) wanted: Vec<(String, String)>,
    /// Locked names that are not wanted any more.
    pub(crate) unwanted: Vec<String>,
    /// Locked dependencies that nobody needs.
    unneeded: Vec<String>,
    /// Where the lock contradicts itself, as it can after a merge.
    pub(crate) gaps: Vec<Gap>,
    /// Folders that every skill is to be in, because `skills.toml` names their agents.
    targets: Vec<String>,
    /// Locked skills that are not in all of them.
    elsewhere: Vec<String>,
}

impl Difference {
    /// Compares what a place wants with what is locked there.
    pub(crate) fn of(
        lock: &Lockfile,
        place: &ScopeContext,
        supply: &SourceResolver<'_>,
    ) -> Result<Self, CommandError> {
        let manifest = place.manifest()?;
        let mut difference = Self {
            unneeded: orphans(lock, manifest.as_ref()),
            gaps: lock.gaps(),
            ..Self::default()
        };
        if let Some(manifest) = manifest.filter(|_| place.has_manifest()) {
            difference.compare(lock, &manifest, supply)?;
            difference.targets = place.targets_for_all(&manifest)?;
        }
        difference.ask_again(lock);
        let is_elsewhere = |entry: &&Locked| difference.spread(entry).is_some();
        let elsewhere = lock.skills().iter().filter(is_elsewhere);
        difference.elsewhere = elsewhere.map(|entry| entry.name.clone()).collect();
        Ok(difference)
    }

    fn compare(
        &mut self,
        lock: &Lockfile,
        manifest: &Manifest,
        supply: &SourceResolver<'_>,
    ) -> Result<(), CommandError> {
        for (name, reference) in manifest.skills() {
            let locked = lock.get(name).filter(|entry| !entry.dependency);
            // Mostly it is written as it is locked, and nothing has to be looked for.
            let is_locked = match locked {
                Some(entry) if entry.is_written(reference) => true,
                Some(entry) => {
                    let canonical = supply.canonical(reference);
                    supply.is_of(entry, &canonical.map_err(|error| wanted_from(name, error))?)
                }
                None => false,
            };
            if !is_locked {
                self.wanted.push((name.clone(), reference.clone()));
            }
        }
        for entry in lock.skills() {
            if !entry.dependency && manifest.get(&entry.name).is_none() {
                self.unwanted.push(entry.name.clone());
            }
        }
        Ok(())
    }

    /// What was asked for in other versions than it is locked in is wanted as it was asked for.
    fn ask_again(&mut self, lock: &Lockfile) {
        let unasked = self.gaps.iter().filter_map(|gap| match gap {
            Gap::Unasked { name, .. } => lock.get(name),
            _ => None,
        });
        let unasked = unasked.filter(|entry| {
            self.reference(&entry.name).is_none() && !self.unwanted.contains(&entry.name)
        });
        let wanted = unasked.map(|entry| (entry.name.clone(), entry.reference()));
        let wanted: Vec<(String, String)> = wanted.collect();
        self.wanted.extend(wanted);
    }

    /// The reference that a name is wanted by, where the lock has none or another.
    pub(crate) fn reference(&self, name: &str) -> Option<&str> {
        let found = self.wanted.iter().find(|(each, _)| each == name);
        found.map(|(_, reference)| reference.as_str())
    }

    /// Whether a locked skill is wanted otherwise, or not at all.
    pub(crate) fn is_to_change(&self, name: &str) -> bool {
        let gone = self.unwanted.iter().chain(&self.unneeded);
        self.reference(name).is_some() || gone.into_iter().any(|each| each == name)
    }

    /// The entry of a skill with all the folders that it is to be in, where that are more.
    pub(crate) fn spread(&self, entry: &Locked) -> Option<Locked> {
        let missing = self.targets.iter();
        let missing: Vec<&String> = missing
            .filter(|each| !entry.targets.contains(each))
            .collect();
        if missing.is_empty() {
            return None;
        }
        let mut entry = entry.clone();
        entry.targets.extend(missing.into_iter().cloned());
        entry.targets.sort_unstable();
        Some(entry)
    }

    /// What the lock does not have as it is wanted, one sentence for each way, without where it
    /// contradicts itself.
    pub(crate) fn mismatches(&self) -> Vec<String> {
        let wanted: Vec<String> = self.wanted.iter().map(|(name, _)| name.clone()).collect();
        let parts = [
            (
                &wanted,
                "not locked as it is wanted",
                "not locked as they are wanted",
            ),
            (
                &self.unwanted,
                "locked and not wanted",
                "locked and not wanted",
            ),
            (
                &self.unneeded,
                "locked and not needed",
                "locked and not needed",
            ),
            (
                &self.elsewhere,
                "not locked for all agents that are wanted",
                "not locked for all agents that are wanted",
            ),
        ];
        let parts = parts
            .into_iter()
            .filter_map(|(names, of_one, of_more)| match &names[..] {
                [] => None,
                [name] => Some(format!("`{name}` is {of_one}")),
                [first @ .., last] => Some(format!(
                    "`{}` and `{last}` are {of_more}",
                    first.join("`, `")
                )),
            });
        parts.collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.wanted.is_empty()
            && self.unwanted.is_empty()
            && self.unneeded.is_empty()
            && self.gaps.is_empty()
            && self.elsewhere.is_empty()
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = self.mismatches();
        parts.extend(self.gaps.iter().map(ToString::to_string));
        f.write_str(&parts.join(", and "))
    }
}

/// The skill that is wanted by a name, as it is now.
pub(crate) fn asked(
    supply: &mut SourceResolver<'_>,
    name: &str,
    reference: &str,
) -> Result<Candidate, CommandError> {
    let reference = supply.wanted(reference);
    let reference = reference.map_err(|error| wanted_from(name, error))?;
    let found = supply.one(&reference);
    let found = found.map_err(|error| supply.unavailable(name, &reference, None, error))?;
    let mut candidate = named(found, name)?;
    // As it is wanted, so that the lock and skills.toml go on matching.
    let (source, _) = supply.source_of(&reference, None)?;
    candidate.source = source;
    Ok(candidate)
}

/// Names the skill whose reference nobody understands.
fn wanted_from(name: &str, error: CommandError) -> CommandError {
    match error {
        CommandError::Install(InstallFailure::Reference(source)) => InstallFailure::WantedFrom {
            name: name.to_owned(),
            source,
        }
        .into(),
        error => error,
    }
}

/// Dependencies that nobody needs.
pub(crate) fn orphans(lock: &Lockfile, manifest: Option<&Manifest>) -> Vec<String> {
    let roots = lock.skills().iter();
    let roots = roots.filter(|entry| is_asked_for(entry, manifest));
    let needed = needed_by(lock, roots.map(|entry| entry.name.as_str()));
    let entries = lock.skills().iter();
    entries
        .filter(|entry| !needed.contains(entry.name.as_str()))
        .map(|entry| entry.name.clone())
        .collect()
}

/// The lock in which these names are not wanted any more, but by those that need them.
pub(crate) fn unasked(lock: &Lockfile, names: &[String]) -> Lockfile {
    let entries = names.iter().filter_map(|name| lock.get(name));
    let entries = entries.map(|entry| Locked {
        dependency: true,
        ..entry.clone()
    });
    after(lock, &entries.collect::<Vec<_>>(), &[])
}

//! Installed skills that are revoked.

use std::collections::BTreeSet;
use std::path::PathBuf;

use rayon::prelude::*;
use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_catalog::presence::is_there;
use skillyard_format::Digest;
use skillyard_install::lockfile::Locked;
use skillyard_install::plan::Plan;
use skillyard_install::tree::{Tree, TreeLimits};

use super::check::revocation;
use super::place::{self, Place};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::{Deed, InstallFailure};
use crate::sanitize::visible;
use crate::shell::shell_word;
use crate::signing::policy;

/// Most skills that are held in memory at a time.
const AT_ONCE: usize = 64;

/// An installed skill that must not be used any more.
#[derive(Debug, Clone, serde::Serialize)]
pub(crate) struct Revoked {
    pub(crate) name: String,
    /// Who took it back, when and why.
    pub(crate) reason: String,
    /// What can be done about it.
    pub(crate) hint: String,
    /// Whether it lies in one of its folders; a fresh checkout may have its lock alone.
    installed: bool,
    #[serde(skip)]
    entry: Locked,
}

impl Revoked {
    /// Those among some skills of a lock, by what it says of them and by their files, if these are at
    /// hand; `scope` is typed behind commands. Where nothing is revoked, no skill is looked at.
    pub(crate) fn among<'a>(
        context: &Context,
        place: &Place,
        scope: &str,
        entries: impl Iterator<Item = &'a Locked>,
    ) -> Result<Vec<Self>, CommandError> {
        let mut entries = entries.peekable();
        if entries.peek().is_none() {
            return Ok(Vec::new());
        }
        let signers = policy::in_force(&context.environment)?;
        if signers.revoked.is_empty() {
            return Ok(Vec::new());
        }
        let entries: Vec<&Locked> = entries.collect();
        let mut found = Vec::new();
        for entries in entries.chunks(AT_ONCE) {
            let digests: Vec<Digest> = entries.iter().map(|entry| entry.digest).collect();
            let stored = place.store.read_each(&digests, |_, tree| tree.ok());
            let stored = stored.map_err(InstallFailure::from)?;
            let revoked = entries
                .par_iter()
                .zip(stored)
                .filter_map(|(entry, stored)| {
                    let tree = stored.or_else(|| in_place(place, entry));
                    let reason = revocation(entry, tree.as_ref(), &signers)?;
                    Some(Self {
                        name: entry.name.clone(),
                        reason,
                        hint: remedy(&entry.name, scope),
                        installed: is_installed(place, entry),
                        entry: (*entry).clone(),
                    })
                });
            found.extend(revoked.collect::<Vec<_>>());
        }
        Ok(found)
    }

    /// Those that the locks of this place name and that lie in none of their folders, as in a fresh
    /// checkout: no catalog has them. A lock that cannot be read is told of elsewhere.
    pub(crate) fn absent(context: &Context) -> Result<Vec<Self>, CommandError> {
        if policy::in_force(&context.environment)?.revoked.is_empty() {
            return Ok(Vec::new());
        }
        let mut all = Vec::new();
        for (place, scope) in place::all(context) {
            let lock = place.lock().unwrap_or_default();
            let is_absent = |entry: &&Locked| !is_installed(&place, entry);
            let entries = lock.skills().iter().filter(is_absent);
            all.extend(Self::among(context, &place, scope, entries)?);
        }
        Ok(all)
    }

    /// Refuses a plan that would write one of them once more.
    pub(crate) fn refuse_written(
        context: &Context,
        revoked: &[Self],
        plan: &Plan,
        trigger: &str,
    ) -> Result<(), CommandError> {
        if revoked.is_empty() {
            return Ok(());
        }
        let written: BTreeSet<&str> = plan.written().collect();
        let Some(each) = revoked.iter().find(|each| written.contains(&*each.name)) else {
            return Ok(());
        };
        let event = Event::new(EventKind::SignatureFailed)
            .skill(&each.name)
            .digest(each.entry.digest.to_string())
            .source(&each.entry.source)
            .trigger(trigger)
            .ended(Outcome::Denied, each.reason.clone());
        context.record(&event)?;
        Err(InstallFailure::Revoked {
            name: each.name.clone(),
            reason: each.reason.clone(),
            deed: Deed::Installed,
            hint: Some(each.hint.clone()),
        }
        .into())
    }

    /// What is so of it, in one line.
    pub(crate) fn described(&self) -> String {
        let is = if self.installed {
            "installed"
        } else {
            "locked"
        };
        format!("it is {is} and revoked: {}", self.reason)
    }

    /// The same skill after its source was asked and has nothing else.
    pub(crate) fn without_newer(mut self, scope: &str) -> Self {
        let name = shell_word(&self.name);
        self.hint = format!(
            "its source has nothing newer: take it away with `skillyard remove {name}{scope}`"
        );
        self
    }

    /// Tells people of them.
    pub(crate) fn tell<'a>(context: &Context, revoked: impl IntoIterator<Item = &'a Self>) {
        for each in revoked {
            let Self { name, hint, .. } = each;
            let line = format!(" ! {name}: {} ({hint})", each.described());
            context.printer.people(&visible(&line));
        }
    }
}

/// What the user can do about a skill that is installed or locked; `scope` is typed behind commands.
pub(crate) fn remedy(name: &str, scope: &str) -> String {
    let name = shell_word(name);
    format!(
        "Take it away with `skillyard remove {name}{scope}`, or see with `skillyard update {name}{scope}` whether it was mended"
    )
}

/// What lies where a skill was put, if it is that skill still.
fn in_place(place: &Place, entry: &Locked) -> Option<Tree> {
    // What was installed under a higher limit is no less revoked.
    let read = |folder: PathBuf| Tree::read(&folder, &TreeLimits::HERE).ok();
    let tree = folders(place, entry).find_map(read)?.tidied();
    (tree.digest() == entry.digest).then_some(tree)
}

/// Whether something lies where a skill is put.
fn is_installed(place: &Place, entry: &Locked) -> bool {
    folders(place, entry).any(|folder| is_there(&folder))
}

/// Where a skill is put.
fn folders(place: &Place, entry: &Locked) -> impl Iterator<Item = PathBuf> {
    let targets = entry.targets.iter();
    targets.map(|target| place.scope.target(target).join(&entry.name))
}

//! Installed skills that are revoked.

use std::collections::BTreeSet;
use std::path::PathBuf;

use rayon::prelude::*;
use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_format::Digest;
use skillyard_install::lockfile::Locked;
use skillyard_install::plan::Plan;
use skillyard_install::tree::{Tree, TreeLimits};

use super::check::revocation;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::{InstallFailure, Operation};
use crate::library::revoked_remedy::RevokedRemedies;
use crate::scope;
use crate::scope::{ScopeContext, folders, is_installed};
use crate::signing::policy;
use crate::text::sanitize::visible;

/// Most skills that are held in memory at a time.
const MAX_SKILLS_IN_MEMORY: usize = 64;

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
    /// Whether it is locked, or else only would be.
    #[serde(skip)]
    locked: bool,
    /// Whether its source was asked and has nothing else.
    #[serde(skip)]
    newest: bool,
    /// Where it is put.
    #[serde(skip)]
    pub(crate) folders: Vec<PathBuf>,
    #[serde(skip)]
    entry: Locked,
}

impl Revoked {
    /// Those among some skills of a lock, by what it says of them and by their files, if these are at
    /// hand; `scope` is typed behind commands. Where nothing is revoked, no skill is looked at.
    pub(crate) fn among<'a>(
        context: &Context,
        place: &ScopeContext,
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
        // What cannot be read is told elsewhere.
        let lock = place.lock().unwrap_or_default();
        let way_out = RevokedRemedies::new(place, scope, lock, entries.iter().copied());
        let mut found = Vec::new();
        for entries in entries.chunks(MAX_SKILLS_IN_MEMORY) {
            let digests: Vec<Digest> = entries.iter().map(|entry| entry.digest).collect();
            let stored = place.store.read_each(&digests, |_, tree| tree.ok());
            let revoked = entries
                .par_iter()
                .zip(stored)
                .filter_map(|(entry, stored)| {
                    let tree = stored.or_else(|| in_place(place, entry));
                    let reason = revocation(entry, tree.as_ref(), &signers)?;
                    Some(Self::of(&way_out, entry, reason))
                });
            found.extend(revoked.collect::<Vec<_>>());
        }
        Ok(found)
    }

    /// A skill of a lock that is revoked for a reason.
    pub(crate) fn of(way_out: &RevokedRemedies<'_>, entry: &Locked, reason: String) -> Self {
        let folders: Vec<PathBuf> = folders(way_out.scope, entry).collect();
        let locked = way_out.lock.get(&entry.name).is_some();
        Self {
            name: entry.name.clone(),
            reason,
            hint: way_out.of(entry).hint(),
            installed: locked && folders.iter().any(|folder| folder.exists()),
            locked,
            newest: false,
            folders,
            entry: entry.clone(),
        }
    }

    /// The same once a change has been made, which may have taken it or what needs it away.
    pub(crate) fn after(self, way_out: &RevokedRemedies<'_>) -> Self {
        let settled = Self::of(way_out, &self.entry, self.reason);
        if self.newest {
            settled.without_newer(way_out)
        } else {
            settled
        }
    }

    /// Those that the locks of this place name and that lie in none of their folders, as in a fresh
    /// checkout: no catalog has them. A lock that cannot be read is told of elsewhere.
    pub(crate) fn absent(context: &Context) -> Result<Vec<Self>, CommandError> {
        if policy::in_force(&context.environment)?.revoked.is_empty() {
            return Ok(Vec::new());
        }
        let mut all = Vec::new();
        for (place, scope) in scope::all(context) {
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
        each.record(context, trigger)?;
        Err(each.refusal().into())
    }

    /// Records that it was not written.
    pub(crate) fn record(&self, context: &Context, trigger: &str) -> Result<(), CommandError> {
        let event = Event::new(EventKind::SignatureFailed)
            .skill(&self.name)
            .digest(self.entry.digest.to_string())
            .source(&self.entry.source)
            .trigger(trigger)
            .ended(Outcome::Denied, self.reason.clone());
        context.record(&event)
    }

    /// That it was not written.
    pub(crate) fn refusal(&self) -> InstallFailure {
        InstallFailure::Revoked {
            name: self.name.clone(),
            reason: self.reason.clone(),
            deed: Operation::Installed,
            hint: Some(self.hint.clone()),
        }
    }

    /// What is locked of it, or would be.
    pub(crate) fn entry(&self) -> &Locked {
        &self.entry
    }

    /// What is so of it, in one line.
    pub(crate) fn described(&self) -> String {
        let is = match (self.installed, self.locked) {
            (true, _) => "installed",
            (false, true) => "locked",
            (false, false) => "wanted",
        };
        format!("it is {is} and revoked: {}", self.reason)
    }

    /// The same skill after its source was asked and has nothing else.
    pub(crate) fn without_newer(self, way_out: &RevokedRemedies<'_>) -> Self {
        Self {
            hint: way_out.of(&self.entry).without_newer(),
            newest: true,
            ..self
        }
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

/// What lies where a skill was put, if it is that skill still.
fn in_place(place: &ScopeContext, entry: &Locked) -> Option<Tree> {
    // What was installed under a higher limit is no less revoked.
    let read = |folder: PathBuf| Tree::read(&folder, &TreeLimits::HERE).ok();
    let tree = folders(&place.scope, entry).find_map(read)?.tidied();
    (tree.digest() == entry.digest).then_some(tree)
}

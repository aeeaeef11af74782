//! Installed skills that are revoked.

use std::collections::BTreeSet;

use rayon::prelude::*;
use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_format::Digest;
use skillyard_install::lockfile::Locked;
use skillyard_install::plan::Plan;
use skillyard_install::tree::{Tree, TreeLimits};

use super::check::revocation;
use super::place::Place;
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
    #[serde(skip)]
    entry: Locked,
}

impl Revoked {
    /// Those among some installed skills, whose files are at hand; `scope` is typed behind commands.
    /// Where nothing is revoked, no skill is looked at.
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
                        entry: (*entry).clone(),
                    })
                });
            found.extend(revoked.collect::<Vec<_>>());
        }
        Ok(found)
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

    /// The same skill after its source was asked and has nothing else.
    pub(crate) fn without_newer(mut self, scope: &str) -> Self {
        let name = shell_word(&self.name);
        self.hint = format!(
            "its source has nothing newer: take it away with `skillyard remove {name}{scope}`"
        );
        self
    }

    pub(crate) fn tell(context: &Context, revoked: &[Self]) {
        for Self {
            name, reason, hint, ..
        } in revoked
        {
            let line = format!(" ! {name}: it is installed and revoked: {reason} ({hint})");
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
    let folders = entry.targets.iter();
    let mut folders = folders.map(|target| place.scope.target(target).join(&entry.name));
    let tree = folders.find_map(|folder| Tree::read(&folder, &TreeLimits::default()).ok())?;
    let tree = tree.tidied();
    (tree.digest() == entry.digest).then_some(tree)
}

//! Skills that are left out, because something is in the way of what they were to become.
//!
//! Those that are installed stay so: what they need goes on being needed, and who needs them
//! otherwise is left out, too.

use std::collections::BTreeSet;

use skillyard_install::dependencies::{
    self, DependencyError, FailedRequests, KnownRequests, Needed, RequestedSkill, Resolved,
};
use skillyard_install::lockfile::Lockfile;
use skillyard_install::manifest::Manifest;
use skillyard_install::plan::{
    Conflict, ConflictPolicy, ConflictReason, DesiredState, OnConflict, Plan,
};

use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::install::source_resolver::SourceResolver;
use crate::install::version_constraints::unresolved;
use crate::install::wanted::orphans;
use crate::scope::needed_by;

/// What is left out, and what of it stays as it is installed.
#[derive(Debug, Default)]
pub(crate) struct SkippedSkills {
    conflicts: Vec<Conflict>,
    installed: BTreeSet<String>,
}

impl SkippedSkills {
    /// All that is left out, and why: first what something is in the way of, then who needs that.
    pub(crate) fn conflicts(&self) -> Vec<Conflict> {
        let (without, mut all): (Vec<Conflict>, Vec<Conflict>) =
            self.conflicts.iter().cloned().partition(is_without);
        all.extend(without);
        all
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.conflicts.is_empty()
    }

    /// The roots that are not left out.
    pub(crate) fn rest(&self, roots: &[RequestedSkill]) -> Vec<RequestedSkill> {
        let is_held = |root: &&RequestedSkill| self.installed.contains(&root.candidate.name);
        roots
            .iter()
            .filter(|root| !is_held(root))
            .cloned()
            .collect()
    }

    /// What goes on being wanted, with what stays as it is.
    pub(crate) fn beside<'a>(&self, known: &KnownRequests<'a>) -> KnownRequests<'a> {
        let mut known = known.clone();
        self.installed.iter().for_each(|name| known.hold(name));
        known
    }

    /// Dependencies that nobody needs, not even what is left out and stays.
    pub(crate) fn orphans(&self, lock: &Lockfile, manifest: Option<&Manifest>) -> Vec<String> {
        let needed = needed_by(lock, self.installed.iter().map(String::as_str));
        let mut orphans = orphans(lock, manifest);
        // What is left out is still to go, once nothing is in the way of that.
        orphans.retain(|name| self.installed.contains(name) || !needed.contains(name.as_str()));
        orphans
    }

    /// Leaves what was left out before.
    pub(crate) fn settle(&self, settlement: &mut ConflictPolicy) {
        for conflict in &self.conflicts {
            settlement.settle(&conflict.name, OnConflict::Skip);
        }
    }

    /// Leaves out what needs others than stay; what failed for another reason comes back.
    pub(crate) fn leave(
        &mut self,
        lock: &Lockfile,
        failed: FailedRequests<CommandError>,
    ) -> Option<FailedRequests<CommandError>> {
        let DependencyError::Held { name: needed, .. } = &failed.error else {
            return Some(failed);
        };
        for name in &failed.roots {
            let targets = lock.get(name).map(|entry| &entry.targets[..]);
            let target = targets.and_then(<[String]>::first);
            self.add(&Conflict {
                name: name.clone(),
                target: target.cloned().unwrap_or_default(),
                folder: None,
                obstacle: ConflictReason::Without(needed.clone()),
            });
        }
        None
    }

    /// Notes what a plan leaves out. Whether that is more than was known, so that everything has to
    /// be resolved again around it.
    pub(crate) fn note(&mut self, plan: &Plan, wish: &DesiredState, lock: &Lockfile) -> bool {
        let mut is_more = false;
        for conflict in &plan.skipped {
            self.add(conflict);
            let name = &conflict.name;
            let wished = wish.present.iter().find(|entry| entry.name == *name);
            let is_meant = wished.is_some() || wish.absent.contains(name);
            let locked = lock.get(name);
            // What was to stay as it is does so.
            if is_meant && locked.is_some() && wished != locked {
                is_more |= self.installed.insert(name.clone());
            }
        }
        is_more
    }

    fn add(&mut self, conflict: &Conflict) {
        let is_same =
            |each: &Conflict| each.name == conflict.name && each.target == conflict.target;
        if !self.conflicts.iter().any(is_same) {
            self.conflicts.push(conflict.clone());
        }
    }

    /// Tells of it after the rest was done; programs were told already.
    pub(crate) fn after(self, context: &Context, status: ExitStatus) -> Outcome {
        if self.conflicts.is_empty() {
            return Ok(status);
        }
        if context.printer.is_json() {
            return Ok(ExitStatus::Negative);
        }
        let mut conflicts = self.conflicts;
        // Who needs what is left out was told with the rest.
        conflicts.retain(|each| !is_without(each));
        Err(InstallFailure::LeftOut(conflicts).into())
    }
}

/// All skills that `roots` need around what is left out.
pub(crate) fn resolve(
    roots: &[RequestedSkill],
    lock: &Lockfile,
    known: &KnownRequests<'_>,
    supply: &mut SourceResolver<'_>,
    held: &mut SkippedSkills,
) -> Result<Vec<Needed>, CommandError> {
    if held.is_empty() {
        return dependencies::resolve(roots, known, supply).map_err(unresolved);
    }
    let resolved = dependencies::resolve_each(held.rest(roots), &held.beside(known), supply);
    let Resolved { needed, failed } = resolved.map_err(unresolved)?;
    for each in failed {
        if let Some(failed) = held.leave(lock, each) {
            return Err(unresolved(failed.error));
        }
    }
    Ok(needed)
}

fn is_without(conflict: &Conflict) -> bool {
    matches!(conflict.obstacle, ConflictReason::Without(_))
}

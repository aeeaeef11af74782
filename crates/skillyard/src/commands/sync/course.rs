//! How `sync` gets to what is wanted: what is resolved, and what has to change.

use skillyard_install::candidate::Candidate;
use skillyard_install::dependencies::{Needed, RequestedSkill};
use skillyard_install::lockfile::{Gap, Lockfile};
use skillyard_install::plan::{ConflictPolicy, DesiredState, InstalledState, Plan};
use skillyard_install::reference::Reference;

use super::refused::Refused;
use super::{as_pinned, locked};
use crate::commands::sync::{SyncArgs, goal};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::revoked::Revoked;
use crate::install::skipped_skills::SkippedSkills;
use crate::install::source_change::let_move;
use crate::install::source_resolver::SourceResolver;
use crate::install::version_constraints::{again, known};
use crate::install::wanted::{Difference, asked, orphans, unasked};
use crate::install::{apply, skipped_skills, version_holdbacks};
use crate::scope::ScopeContext;

/// What was resolved, and what would change around what is left out.
pub(super) struct SyncPlan {
    pub(super) needed: Vec<Needed>,
    pub(super) goal: DesiredState,
    pub(super) settlement: ConflictPolicy,
    pub(super) preview: Plan,
    pub(super) held: SkippedSkills,
    /// What of it is revoked, whether or not it would be written.
    pub(super) revoked: Vec<Revoked>,
}

impl SyncPlan {
    /// Resolves what is wanted beyond the lock, again where something is in the way of it, or refused.
    pub(super) fn find(
        context: &Context,
        args: &SyncArgs,
        place: &ScopeContext,
        supply: &mut SourceResolver<'_>,
        before: &InstalledState,
        difference: &Difference,
        refused: &mut Refused,
    ) -> Result<Self, CommandError> {
        // What skills.toml does not name any more may still be needed.
        let staying = unasked(&before.lock, &difference.unwanted);
        let roots = roots(place, supply, &staying, difference, args)?;
        let mut held = SkippedSkills::default();
        loop {
            let roots = refused.rest(&roots);
            let needed = resolve(place, supply, &staying, &roots, &mut held)?;
            let mut goal = goal(context, place, before, &staying, difference, &needed, &held)?;
            let revoked = refused.revoked(context, place, args.scope.typed(), &goal)?;
            refused.leave_out(&mut goal);
            goal.left_out = held.conflicts();
            let mut settlement = apply::settlement(args.force);
            let_move(&mut settlement, &staying, difference, &needed);
            if !revoked.is_empty() {
                let plan = apply::look(place, &goal, &settlement)?;
                if refused.note(&plan, &goal, &revoked) {
                    continue;
                }
            }
            let preview = apply::preview_around(context, place, &goal, &mut settlement, &mut held);
            let preview = preview.inspect_err(|_| version_holdbacks::tell(context, &needed))?;
            if let Some(preview) = preview {
                let revoked = refused.settled(place, args.scope.typed(), &preview, revoked);
                return Ok(Self {
                    needed,
                    goal,
                    settlement,
                    preview,
                    held,
                    revoked,
                });
            }
        }
    }
}

/// What is wanted beyond the lock.
fn roots(
    place: &ScopeContext,
    supply: &mut SourceResolver<'_>,
    lock: &Lockfile,
    difference: &Difference,
    args: &SyncArgs,
) -> Result<Vec<RequestedSkill>, CommandError> {
    let mut roots: Vec<Candidate> = Vec::new();
    if !args.offline {
        let wanted = difference.wanted.iter();
        let wanted = wanted.filter_map(|(_, reference)| supply.wanted(reference).ok());
        let wanted: Vec<Reference> = wanted.collect();
        supply.expect(&wanted);
    }
    for (name, reference) in &difference.wanted {
        if args.offline {
            return Err(InstallFailure::NotLocked(name.clone()).into());
        }
        roots.push(asked(supply, name, reference)?);
    }
    // What goes needs nothing any more. Where the lock alone counts, nobody reads skills.toml.
    let gone = match difference.gaps[..] {
        [] => Vec::new(),
        _ => orphans(lock, place.manifest()?.as_ref()),
    };
    for gap in &difference.gaps {
        let name = gap.name();
        let is_there = roots.iter().any(|root| root.name == name);
        // What is wanted otherwise was resolved above, with all it needs.
        let is_settled = is_there || difference.reference(name).is_some();
        let Some(entry) = lock.get(name).filter(|_| !is_settled) else {
            continue;
        };
        if gone.contains(&entry.name) {
            continue;
        }
        if args.offline {
            return Err(match gap {
                Gap::Missing { needed, .. } => InstallFailure::NotLocked(needed.clone()),
                gap => InstallFailure::Gap(gap.clone()),
            }
            .into());
        }
        roots.push(as_pinned(locked(supply, entry)?, entry)?);
    }
    let roots = roots.into_iter();
    let roots = roots.map(|candidate| again(candidate, lock, difference, place));
    Ok(roots.collect())
}

/// That, with all that it needs, around what is left out.
fn resolve(
    place: &ScopeContext,
    supply: &mut SourceResolver<'_>,
    lock: &Lockfile,
    roots: &[RequestedSkill],
    held: &mut SkippedSkills,
) -> Result<Vec<Needed>, CommandError> {
    if roots.is_empty() {
        return Ok(Vec::new());
    }
    let known = known(lock, place, supply)?;
    skipped_skills::resolve(roots, lock, &known, supply, held)
}

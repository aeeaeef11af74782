//! One attempt to make the installed skills match, and another without what turns out to be revoked.

use std::collections::BTreeSet;
use std::time::Instant;

use serde_json::json;
use skillyard_install::plan::{DesiredState, InstalledState, Plan, SkillChange};

use super::fetch_missing;
use super::refused::Refused;
use crate::commands::sync;
use crate::commands::sync::SyncArgs;
use crate::commands::sync::course::SyncPlan;
use crate::context::Context;
use crate::error::install::{SelectedBy, Stale};
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::install::check::DowngradePolicy;
use crate::install::desired_state::signed;
use crate::install::registry_notices::RegistryNotices;
use crate::install::report::{report_activation, report_with, tell_of_unread, tell_staying};
use crate::install::scanner::Scanner;
use crate::install::source_resolver::SourceResolver;
use crate::install::wanted::Difference;
use crate::install::{
    apply, check, findings, nested_skills, orphaned_targets, review, version_holdbacks,
};
use crate::scope::ScopeContext;

/// A synchronisation of one place.
pub(super) struct Sync<'a> {
    pub(super) context: &'a Context,
    pub(super) args: &'a SyncArgs,
    pub(super) start: Instant,
    pub(super) place: &'a ScopeContext,
    pub(super) before: &'a InstalledState,
    pub(super) difference: &'a Difference,
    pub(super) stale: Vec<Stale>,
}

impl Sync<'_> {
    /// Does what is to be done around what is refused. There is no end yet where more turns out to be
    /// refused once its files are at hand.
    pub(super) fn attempt(
        &self,
        supply: &mut SourceResolver<'_>,
        refused: &mut Refused,
    ) -> Result<Option<ExitStatus>, CommandError> {
        let Self {
            context,
            args,
            place,
            before,
            difference,
            ..
        } = *self;
        let course = SyncPlan::find(context, args, place, supply, before, difference, refused)?;
        if args.check {
            return self.check(supply, course, refused).map(Some);
        }
        let SyncPlan {
            needed,
            goal,
            settlement,
            preview,
            held,
            revoked,
        } = course;
        // What is wrong with the only skill is what is wrong.
        if goal.present.is_empty() && preview.is_empty() {
            refused.alone(context)?;
        }
        let mut trees = apply::trees(&needed);
        // Only what really has to be written must be at hand.
        let names: BTreeSet<&str> = preview.written().collect();
        let written = goal.present.iter();
        let written = written.filter(|entry| names.contains(entry.name.as_str()));
        let fetched = fetch_missing(place, supply, written, &mut trees, args.offline)?;
        let fresh = check::fresh(&needed, &preview, &place.store);
        let scanner = Scanner::new(&place.store);
        let wanted = difference.wanted.iter();
        let wanted: Vec<String> = wanted.map(|(name, _)| name.clone()).collect();
        let (lock, store) = (&before.lock, &place.store);
        let grounds = DowngradePolicy::of(lock, &needed, &preview, store, &args.accept, &wanted);
        // Nobody is asked whether what was fetched is wanted, which was decided when it was locked. But
        // a lock comes with a checkout, and what it names may never have been looked at on this machine.
        let verified = check::verify(context, &scanner, fresh, &grounds).and_then(|checked| {
            let restored = check::verify(context, &scanner, fetched.iter().collect(), &grounds)?;
            Ok((checked, restored))
        });
        let (checked, restored) = match verified {
            Ok(verified) => verified,
            Err(error) => {
                refused.learn(error, place, args.scope.typed(), &goal)?;
                return Ok(None);
            }
        };
        version_holdbacks::tell(context, &needed);
        refused.tell(context, &revoked)?;
        self.tell_staying(&goal);
        let scan = || {
            check::scan(context, &checked, &args.accept, SelectedBy::ByManifest)?;
            check::scan(context, &restored, &args.accept, SelectedBy::ByManifest)?;
            findings::tell(context, restored.iter());
            nested_skills::tell(context, &restored.iter().collect::<Vec<_>>());
            Ok::<_, CommandError>(())
        };
        let asks = !args.yes && review::asks(&checked);
        if asks {
            scan()?;
            review::confirm(context, &checked, &preview, false)?;
        }
        // Where nobody has to be waited for, the disk does not wait for the scanner either.
        let last_check = || {
            if !asks {
                scan()?;
                review::show(context, &checked);
            }
            Ok(())
        };
        let goal = signed(goal, &checked);
        let plan = apply::apply_as_wanted(context, place, &goal, &trees, &settlement, last_check)?;
        check::remember(context, &scanner, &checked)?;
        check::remember(context, &scanner, &restored)?;
        let older = check::older(checked.iter().chain(&restored));
        let said = RegistryNotices::of(context, supply, &goal.present);
        let (start, left) = (Some(self.start), refused.left());
        report_with(context, place, &plan, start, false, left, |answer| {
            answer["held_back"] = version_holdbacks::json(&needed);
            refused.add(context, answer, &revoked);
            said.add(answer);
            answer["checked"] = review::json(checked.iter().chain(&restored));
            answer["older"] = older;
            answer["stale"] = json!(self.stale);
        })?;
        report_activation(context, place, &plan)?;
        if !args.frozen {
            tell_of_unread(context, place, &goal.present);
        }
        orphaned_targets::tell_stale(context, &place.scope, &plan.lock);
        held.after(context, ExitStatus::from_answer(revoked.is_empty()))
            .map(Some)
    }

    /// Tells what would be done.
    fn check(
        &self,
        supply: &mut SourceResolver<'_>,
        course: SyncPlan,
        refused: &Refused,
    ) -> Outcome {
        let Self { context, .. } = self;
        let SyncPlan {
            needed,
            goal,
            preview,
            held,
            revoked,
            ..
        } = course;
        // What would be locked otherwise need not be had as it is.
        let stale = self
            .stale
            .iter()
            .filter(|each| !relocks(&preview, &each.name));
        let stale: Vec<Stale> = stale.cloned().collect();
        version_holdbacks::tell(context, &needed);
        refused.foretell(context, &revoked);
        self.tell_staying(&goal);
        let is_told = preview.is_empty() && !stale.is_empty() && !context.printer.is_json();
        if !is_told {
            let said = RegistryNotices::of(context, supply, &goal.present);
            let (start, left) = (Some(self.start), refused.left());
            report_with(context, self.place, &preview, start, true, left, |answer| {
                answer["held_back"] = version_holdbacks::json(&needed);
                refused.add(context, answer, &revoked);
                said.add(answer);
                // Nothing was fetched, so that nothing was looked at.
                answer["checked"] = json!([]);
                answer["older"] = json!([]);
                answer["stale"] = json!(stale);
            })?;
        }
        let status =
            ExitStatus::from_answer(preview.is_empty() && stale.is_empty() && revoked.is_empty());
        sync::told_compared(context, stale, held.after(context, status)?)
    }

    /// Tells which skills nobody asks for any more, and others need.
    fn tell_staying(&self, goal: &DesiredState) {
        let is_left = |name: &&str| goal.present.iter().any(|entry| entry.name == **name);
        let unwanted = self.difference.unwanted.iter().map(String::as_str);
        tell_staying(self.context, unwanted.filter(is_left));
    }
}

/// Whether a plan locks other bytes of a skill, or the same from elsewhere.
fn relocks(plan: &Plan, name: &str) -> bool {
    plan.changes.iter().any(|change| match change {
        SkillChange::Changed { from, to } => {
            to.name == name && (from.source != to.source || from.digest != to.digest)
        }
        _ => false,
    })
}

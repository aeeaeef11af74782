//! An installation that was planned, and is made true.

use std::collections::BTreeSet;

use skillyard_install::candidate::Candidate;
use skillyard_install::dependencies::Needed;
use skillyard_install::lockfile::{Lockfile, reference};
use skillyard_install::manifest::Manifest;
use skillyard_install::plan::{ConflictPolicy, DesiredState, Plan};
use skillyard_install::store::Store;

use super::check;
use super::check::Checked;
use super::deprecated::Deprecated;
use super::revoked::Revoked;
use super::scanner::Scanner;
use crate::context::Context;
use crate::error::CommandError;
use crate::install::apply;
use crate::install::apply::ChangeGoal;
use crate::install::change_audit::{InstallConsent, InstallDetails};
use crate::install::check::DowngradePolicy;
use crate::install::desired_state::signed;
use crate::install::registry_notices::RegistryNotices;
use crate::library::revoked_remedy::RevokedRemedies;
use crate::scope::ScopeContext;

/// What was fetched, and what would change.
pub(crate) struct Prepared {
    pub(crate) needed: Vec<Needed>,
    /// The skills that were named, one by one.
    pub(crate) named: Vec<String>,
    pub(crate) wish: DesiredState,
    pub(crate) settlement: ConflictPolicy,
    pub(crate) preview: Plan,
    /// What its owners gave up of it.
    pub(crate) deprecated: Vec<Deprecated>,
    pub(crate) scanner: Scanner,
    /// What is locked before it is made true.
    pub(crate) lock: Lockfile,
    pub(crate) store: Store,
    pub(crate) said: RegistryNotices,
}

impl Prepared {
    /// What the skills that were asked for are called.
    pub(crate) fn asked(&self) -> Vec<String> {
        let asked = self.needed.iter().filter(|each| !each.dependency);
        asked.map(|each| each.candidate.name.clone()).collect()
    }

    /// Scans, verifies and weighs what is new.
    pub(crate) fn check(
        &self,
        context: &Context,
        accepted: &[String],
    ) -> Result<Vec<Checked<'_>>, CommandError> {
        check::check(
            context,
            &self.scanner,
            self.fresh(),
            &self.grounds(accepted),
        )
    }

    /// What is new here.
    pub(crate) fn fresh(&self) -> Vec<&Candidate> {
        check::fresh(&self.needed, &self.preview, &self.store)
    }

    /// What was asked for; `accepted` are codes that the user accepts.
    pub(crate) fn grounds<'a>(&'a self, accepted: &'a [String]) -> DowngradePolicy<'a> {
        DowngradePolicy::of(
            &self.lock,
            &self.needed,
            &self.preview,
            &self.store,
            accepted,
            &self.named,
        )
    }

    /// What is revoked among what is here already and was not looked at again.
    pub(crate) fn revoked(
        &self,
        context: &Context,
        place: &ScopeContext,
        checked: &[Checked<'_>],
        scope: &str,
    ) -> Result<Vec<Revoked>, CommandError> {
        let fresh: BTreeSet<&str> = checked.iter().map(|each| &*each.candidate.name).collect();
        let entries = self.wish.present.iter();
        let entries = entries.filter(|entry| !fresh.contains(&*entry.name));
        let revoked = Revoked::among(context, place, scope, entries)?;
        Revoked::refuse_written(context, &revoked, &self.preview, "install")?;
        let lock = self.preview.lock.clone();
        let way_out = RevokedRemedies::new(place, scope, lock, std::iter::empty());
        let revoked = revoked.into_iter().map(|each| each.after(&way_out));
        Ok(revoked.collect())
    }

    /// Makes true what was prepared and checked.
    pub(crate) fn carry_out(
        &self,
        context: &Context,
        place: &ScopeContext,
        checked: &[Checked<'_>],
        answer: InstallConsent,
    ) -> Result<Plan, CommandError> {
        self.revoked(context, place, checked, "")?;
        let afterwards = |_: &Plan| self.scanner.remember(checked);
        self.make_true(context, place, checked, answer, || Ok(()), &afterwards)
    }

    /// Makes true what was prepared and verified, unless the last check fails. What the scanner found
    /// is still to be remembered: `afterwards`, while the log waits for the disk.
    pub(crate) fn make_true(
        &self,
        context: &Context,
        place: &ScopeContext,
        checked: &[Checked<'_>],
        answer: InstallConsent,
        last_check: impl FnOnce() -> Result<(), CommandError>,
        afterwards: &dyn Fn(&Plan),
    ) -> Result<Plan, CommandError> {
        let wish = signed(self.wish.clone(), checked);
        let is_first = !place.has_manifest();
        let circumstances = |name: &str| {
            let found = checked.iter().find(|each| each.candidate.name == name);
            found.map_or_else(InstallDetails::default, |each| each.circumstances(answer))
        };
        let goal = ChangeGoal {
            wish: &wish,
            trees: &apply::trees(&self.needed),
            settlement: &self.settlement,
            circumstances: &circumstances,
            afterwards,
        };
        let plan = apply::apply(
            context,
            place,
            &goal,
            Some(|manifest: &mut Manifest, plan: &Plan| {
                if is_first {
                    put_all(manifest, plan);
                }
                self.put_into(manifest, plan);
            }),
            last_check,
        )?;
        check::remember_signers(context, checked)?;
        check::remember_late(context, &plan, &self.needed)?;
        Ok(plan)
    }

    /// Writes what was asked for into the manifest.
    fn put_into(&self, manifest: &mut Manifest, plan: &Plan) {
        for each in self.needed.iter().filter(|each| !each.dependency) {
            let candidate = &each.candidate;
            // What was left out is not wanted, or goes on being wanted from where it came.
            let is_skipped = plan.skipped.iter().any(|each| each.name == candidate.name);
            if is_skipped || plan.lock.get(&candidate.name).is_none() {
                continue;
            }
            let reference = reference(&candidate.source, candidate.requested.as_deref());
            manifest.put(&candidate.name, &reference);
        }
    }
}

/// Writes all that is locked into a manifest that is new: what it does not name is not wanted.
fn put_all(manifest: &mut Manifest, plan: &Plan) {
    let wanted = plan.lock.skills().iter().filter(|entry| !entry.dependency);
    for entry in wanted {
        manifest.put(&entry.name, &entry.reference());
    }
}

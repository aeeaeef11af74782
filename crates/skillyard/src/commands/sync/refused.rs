//! Skills that are not written, because they are revoked or need what is.
//!
//! What is there stays as it is, and so does its entry in the lock.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use skillyard_install::dependencies::RequestedSkill;
use skillyard_install::lockfile::Locked;
use skillyard_install::plan::{DesiredState, Plan, SkillChange};

use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::{InstallFailure, Operation};
use crate::install::newest::Failed;
use crate::install::report::Left;
use crate::install::revoked::Revoked;
use crate::library::revoked_remedy::RevokedRemedies;
use crate::scope::ScopeContext;

/// What `sync` leaves as it is.
#[derive(Debug, Default)]
pub(super) struct Refused {
    /// By their names.
    skills: BTreeMap<String, Skill>,
    revoked: Vec<Revoked>,
    /// What only its files told to be revoked, once they were fetched.
    late: BTreeSet<String>,
}

/// A skill that is not written.
#[derive(Debug)]
struct Skill {
    /// What would have been locked.
    entry: Locked,
    /// The name of what is revoked, which it is or needs.
    revoked: String,
}

impl Refused {
    /// What is wanted beyond the lock apart from what is refused.
    pub(super) fn rest(&self, roots: &[RequestedSkill]) -> Vec<RequestedSkill> {
        let roots = roots.iter();
        let roots = roots.filter(|root| !self.has(&root.candidate.name));
        roots.cloned().collect()
    }

    /// All that is revoked of what is to be, and of what would have been.
    pub(super) fn revoked(
        &self,
        context: &Context,
        place: &ScopeContext,
        scope: &str,
        goal: &DesiredState,
    ) -> Result<Vec<Revoked>, CommandError> {
        let mut revoked = Revoked::among(context, place, scope, goal.present.iter())?;
        revoked.retain(|each| !self.has(&each.name));
        revoked.extend(self.revoked.iter().cloned());
        revoked.sort_by(|first, second| first.name.cmp(&second.name));
        Ok(revoked)
    }

    /// The same once a plan is carried out: what it takes away cannot be removed any more.
    pub(super) fn settled(
        &mut self,
        place: &ScopeContext,
        scope: &str,
        plan: &Plan,
        revoked: Vec<Revoked>,
    ) -> Vec<Revoked> {
        let would_be = self.skills.values().map(|each| &each.entry);
        let way_out = RevokedRemedies::new(place, scope, plan.lock.clone(), would_be);
        let settled = |all: Vec<Revoked>| {
            let all = all.into_iter().map(|each| each.after(&way_out));
            all.collect()
        };
        self.revoked = settled(std::mem::take(&mut self.revoked));
        settled(revoked)
    }

    fn has(&self, name: &str) -> bool {
        self.skills.contains_key(name)
    }

    /// Takes what is refused out of what is to be.
    pub(super) fn leave_out(&self, goal: &mut DesiredState) {
        goal.present.retain(|entry| !self.has(&entry.name));
    }

    /// Refuses what a plan would write of what is revoked, and whoever would come here in need of it.
    /// Whether that is more than was known, so that a plan has to be made around it.
    pub(super) fn note(&mut self, plan: &Plan, goal: &DesiredState, revoked: &[Revoked]) -> bool {
        let before = self.skills.len();
        let held = plan.conflicts.iter().chain(&plan.skipped);
        let held = held.map(|conflict| conflict.name.as_str());
        let written: BTreeSet<&str> = plan.written().chain(held).collect();
        for each in revoked {
            if written.contains(&*each.name) {
                self.refuse(each);
            }
        }
        let changes = plan.changes.iter().filter(|change| comes(change));
        let names: BTreeSet<&str> = changes.map(SkillChange::name).collect();
        let coming = goal.present.iter();
        let coming: Vec<&Locked> = coming
            .filter(|entry| names.contains(&*entry.name))
            .collect();
        while let Some(dependant) = self.dependant(&coming) {
            self.skills.insert(dependant.entry.name.clone(), dependant);
        }
        self.skills.len() > before
    }

    fn refuse(&mut self, revoked: &Revoked) {
        if !self.has(&revoked.name) {
            let skill = Skill {
                entry: revoked.entry().clone(),
                revoked: revoked.name.clone(),
            };
            self.skills.insert(revoked.name.clone(), skill);
            self.revoked.push(revoked.clone());
        }
    }

    /// One of those that come here and need what is refused.
    fn dependant(&self, coming: &[&Locked]) -> Option<Skill> {
        let others = coming.iter().filter(|entry| !self.has(&entry.name));
        others.into_iter().find_map(|entry| {
            let needed = entry.needs().find_map(|name| self.skills.get(name))?;
            Some(Skill {
                entry: (*entry).clone(),
                revoked: needed.revoked.clone(),
            })
        })
    }

    /// Why each is not written.
    fn failed(&self, context: &Context) -> Vec<Failed> {
        let failed = self.skills.iter().filter_map(|(name, skill)| {
            let mut revoked = self.revoked.iter();
            let revoked = revoked.find(|each| each.name == skill.revoked)?;
            Some(Failed::new(context, name, &revoked.refusal().into()))
        });
        failed.collect()
    }

    /// Learns from why a skill was refused after it was fetched that it is revoked; what failed for
    /// another reason comes back.
    pub(super) fn learn(
        &mut self,
        error: CommandError,
        place: &ScopeContext,
        scope: &str,
        goal: &DesiredState,
    ) -> Result<(), CommandError> {
        let CommandError::Install(InstallFailure::Revoked { name, reason, .. }) = &error else {
            return Err(error);
        };
        let Some(entry) = goal.present.iter().find(|entry| entry.name == *name) else {
            return Err(error);
        };
        let lock = place.lock()?;
        let way_out = RevokedRemedies::new(place, scope, lock, goal.present.iter());
        let late = Revoked::of(&way_out, entry, reason.clone());
        self.refuse(&late);
        self.late.insert(late.name);
        Ok(())
    }

    /// Why nothing is done where nothing but a revoked skill was to be written.
    pub(super) fn alone(&self, context: &Context) -> Result<(), CommandError> {
        match self.revoked.first() {
            None => Ok(()),
            Some(each) => {
                self.record(context)?;
                Err(each.refusal().into())
            }
        }
    }

    /// Records and tells what was refused, and tells what else is revoked.
    pub(super) fn tell(&self, context: &Context, revoked: &[Revoked]) -> Result<(), CommandError> {
        self.record(context)?;
        for each in self.failed(context) {
            each.tell(context);
        }
        let is_left = |each: &&Revoked| !self.has(&each.name);
        Revoked::tell(context, revoked.iter().filter(is_left));
        Ok(())
    }

    /// Tells what is revoked, and who would be left out with it.
    pub(super) fn foretell(&self, context: &Context, revoked: &[Revoked]) {
        Revoked::tell(context, revoked);
        let is_revoked = |failed: &Failed| revoked.iter().any(|each| each.name == failed.name);
        let failed = self.failed(context).into_iter();
        for each in failed.filter(|each| !is_revoked(each)) {
            each.tell(context);
        }
    }

    /// The same for programs.
    pub(super) fn add(&self, context: &Context, answer: &mut Value, revoked: &[Revoked]) {
        answer["revoked"] = json!(revoked);
        answer["failed"] = json!(self.failed(context));
    }

    /// How many skills are left as they are.
    pub(super) fn left(&self) -> Left {
        Left {
            count: self.skills.len(),
            deed: Operation::Installed,
        }
    }

    /// Records what was not written; what was fetched in vain is recorded already.
    fn record(&self, context: &Context) -> Result<(), CommandError> {
        for each in self
            .revoked
            .iter()
            .filter(|each| !self.late.contains(&each.name))
        {
            each.record(context, "sync")?;
        }
        Ok(())
    }
}

/// Whether a change brings a skill, or another edition of it.
fn comes(change: &SkillChange) -> bool {
    use SkillChange::{Added, Changed, Restored};
    matches!(change, Added { .. } | Changed { .. } | Restored { .. })
}

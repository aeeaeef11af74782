//! Taking a skill in one version, with what it needs.

use super::Supplier;
use super::cause::BlameSet;
use super::demand::{Demand, Requester};
use super::descent::Terms;
use super::error::{DependencyError, described};
use super::met::as_locked;
use super::resolver::{Resolver, StopReason};
use super::way::{PartialSolution, Request, TakenSkill};
use crate::candidate::Candidate;
use crate::lockfile::{Locked, Required, reference};

impl<S: Supplier> Resolver<'_, S> {
    /// Takes the skill that was chosen last in a version, or says why that leads nowhere.
    pub(super) fn take(
        &mut self,
        way: &mut PartialSolution<'_, S::Error>,
        mut candidate: Candidate,
        terms: Terms,
    ) -> Result<Option<BlameSet>, StopReason<S::Error>> {
        self.try_one()?;
        let name = candidate.name.clone();
        let root = way.asked.get(&name);
        if root.is_none()
            && let Some(error) = way.endless(&name)
        {
            if self.first.is_none() {
                return Err(StopReason::Error(error));
            }
            // A way back that leads too far is no way.
            return Ok(Some(BlameSet::of(way.taken.keys().cloned())));
        }
        if let Some(root) = root.filter(|root| root.asker.is_some()) {
            candidate.requested.clone_from(&root.candidate.requested);
        }
        let demands = way.wants(&name).iter().map(|want| &want.demand);
        let met = self
            .known
            .met(&candidate, demands, |name| way.is_anew(name));
        if let Some(entry) = met.filter(|_| root.is_none()) {
            let taken = TakenSkill {
                requires: entry.requires.clone(),
                candidate: as_locked(candidate, entry),
                stays: true,
                flaws: Vec::new(),
            };
            if let Some(cause) = self.elsewhere(way, &taken) {
                return Ok(Some(cause));
            }
            way.take(taken, Vec::new());
            return Ok(None);
        }
        let mut taken = TakenSkill {
            requires: Vec::new(),
            candidate,
            stays: false,
            flaws: Vec::new(),
        };
        if let Some(cause) = self.elsewhere(way, &taken) {
            return Ok(Some(cause));
        }
        let wants = match self.needs(way, &mut taken) {
            Ok(wants) => wants,
            Err(cause) => return Ok(Some(cause)),
        };
        if self.note(way, &wants) {
            return Err(StopReason::Again);
        }
        for want in &wants {
            if let Some(cause) = self.unmet(way, &taken, want) {
                return Ok(Some(cause));
            }
        }
        way.take(taken, wants);
        let is_near = terms.allow(way.steps(Some(&self.seen)));
        Ok((!is_near).then(|| way.too_far(&self.seen)))
    }

    /// What a skill needs. What of it cannot be had is written down; what stays here in another version
    /// is why it cannot be taken.
    fn needs(
        &mut self,
        way: &PartialSolution<'_, S::Error>,
        taken: &mut TakenSkill<S::Error>,
    ) -> Result<Vec<Request>, BlameSet> {
        let by = taken.candidate.clone();
        let mut wants = Vec::new();
        for text in &by.requires {
            let next = match self.answers.supplied(text, &by, || way.chain(&by.name)) {
                Ok(next) => next,
                Err(flaw) => {
                    taken.flaws.push(flaw);
                    continue;
                }
            };
            let required = Required {
                name: next.name.clone(),
                requested: next.requested.clone(),
            };
            if !taken.requires.contains(&required) {
                taken.requires.push(required);
            }
            let demand = Demand::of(Requester::Skill(by.name.clone()), &next);
            if let Some(held) = self.known.held(&next.name) {
                if let Some(error) = unfit(held, &next, &demand, || way.chain(&by.name)) {
                    if self.first.is_none() {
                        self.fail(way, error, std::iter::once(by.name.clone()), &by.name);
                    }
                    return Err(BlameSet::of([by.name]));
                }
                continue;
            }
            let by = by.name.clone();
            wants.push(Request { by, next, demand });
        }
        Ok(wants)
    }

    /// Writes down what is wanted. Whether somebody wants something new of a skill that was taken before
    /// and would have been taken otherwise.
    fn note(&mut self, way: &PartialSolution<'_, S::Error>, wants: &[Request]) -> bool {
        let mut is_late = false;
        for Request { by, next, demand } in wants {
            if self.seen.note(by, &next.name, next.requested.as_deref())
                && let Some(taken) = way.taken.get(&next.name)
                && taken.candidate.source == next.source
            {
                let mut before = way.stack.iter().filter(|each| each.name == next.name);
                is_late |= !demand.allows(&taken.candidate)
                    || before.any(|choice| !choice.over.is_empty());
            }
        }
        is_late
    }

    /// Why a skill that was taken is not what another one wants of it, if it is not.
    fn unmet(
        &mut self,
        way: &PartialSolution<'_, S::Error>,
        by: &TakenSkill<S::Error>,
        want: &Request,
    ) -> Option<BlameSet> {
        let name = &want.next.name;
        let own = Some(by).filter(|by| by.candidate.name == *name);
        let taken = own.or_else(|| way.taken.get(name))?;
        let cause = BlameSet::of([want.by.clone(), name.clone()]);
        if is_another(taken, want) {
            let second = format!("{} → `{name}`", way.chain(&want.by));
            self.fail_conflict(way, &taken.candidate, want, second);
            return Some(cause);
        }
        let is_fit = taken.stays || want.demand.allows(&taken.candidate);
        if taken.candidate.source == want.next.source && !is_fit {
            if self.first.is_none() {
                let mut demands = self.demands(way, &taken.candidate);
                demands.push(want.demand.clone());
                self.fail_versions(way, &taken.candidate, &demands);
            }
            return Some(cause);
        }
        None
    }

    /// Why a skill is not what those want who want it from another source, if it is not.
    fn elsewhere(
        &mut self,
        way: &PartialSolution<'_, S::Error>,
        taken: &TakenSkill<S::Error>,
    ) -> Option<BlameSet> {
        let name = &taken.candidate.name;
        let want = way
            .wants(name)
            .iter()
            .find(|want| is_another(taken, want))?;
        let second = format!("{} → `{name}`", way.chain(&want.by));
        self.fail_conflict(way, &taken.candidate, want, second);
        let all = way.wants(name).iter().map(|each| each.by.clone());
        Some(BlameSet::of(all.chain([name.clone()])))
    }

    /// Keeps that a skill is wanted from two sources, if that is the first that is wrong.
    fn fail_conflict(
        &mut self,
        way: &PartialSolution<'_, S::Error>,
        other: &Candidate,
        want: &Request,
        second: String,
    ) {
        if self.first.is_some() {
            return;
        }
        let name = want.next.name.clone();
        let error = DependencyError::Conflict {
            first: way.chain(&name),
            first_source: described(other),
            second,
            second_source: described(&want.next),
            name: name.clone(),
        };
        let culprits = [want.by.clone(), name.clone()];
        self.fail(way, error, culprits.into_iter(), &name);
    }
}

/// Whether a skill is another one than is wanted, of the same name.
fn is_another<E>(taken: &TakenSkill<E>, want: &Request) -> bool {
    let candidate = &taken.candidate;
    let is_other =
        candidate.source != want.next.source || taken.stays && !want.demand.allows(candidate);
    is_other && candidate.tree.digest() != want.next.tree.digest()
}

/// That what is needed is not what stays here.
pub(super) fn unfit<E>(
    held: &Locked,
    next: &Candidate,
    wanted: &Demand,
    chain: impl FnOnce() -> String,
) -> Option<DependencyError<E>> {
    let is_other = held.source != next.source && held.digest != next.tree.digest();
    let state = held.version.as_ref().or(held.requested.as_ref());
    (is_other || !wanted.allows(held)).then(|| DependencyError::Held {
        chain: chain(),
        name: next.name.clone(),
        reference: reference(&next.source, next.requested.as_deref()),
        there: reference(&held.source, state.map(String::as_str)),
    })
}

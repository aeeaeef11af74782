//! Who wants what cannot be had together.

use std::collections::BTreeSet;

use super::Supplier;
use super::cause::BlameSet;
use super::demand::{Demand, Requester};
use super::error::DependencyError;
use super::resolver::{Failure, Resolver};
use super::way::{PartialSolution, who};
use crate::candidate::Candidate;

impl<S: Supplier> Resolver<'_, S> {
    /// Keeps what does not go together, if it is the first that is found. `culprits` are the skills that
    /// it would not be wrong without.
    pub(super) fn fail(
        &mut self,
        way: &PartialSolution<'_, S::Error>,
        error: DependencyError<S::Error>,
        culprits: impl Iterator<Item = String>,
        name: &str,
    ) {
        let roots = way.roots_of(culprits);
        // Where only what is installed is to blame, it goes on without who came anew.
        let roots = if roots.is_empty() {
            way.roots_of(std::iter::once(name.to_owned()))
        } else {
            roots
        };
        let roots = roots.into_iter().collect();
        self.first = Some(Failure { error, roots });
    }

    /// Keeps that no version of a skill is what all want, if that is the first that is wrong.
    pub(super) fn fail_versions(
        &mut self,
        way: &PartialSolution<'_, S::Error>,
        candidate: &Candidate,
        demands: &[Demand],
    ) {
        if self.first.is_some() {
            return;
        }
        let (error, culprits) = self.disagreement(candidate, demands);
        self.fail(way, error, culprits.into_iter(), &candidate.name);
    }

    /// That no version of a skill is what all want, and the skills that it would not be so without.
    pub(super) fn disagreement(
        &mut self,
        candidate: &Candidate,
        demands: &[Demand],
    ) -> (DependencyError<S::Error>, Vec<String>) {
        let all: BTreeSet<&Demand> = demands.iter().collect();
        let all: Vec<&Demand> = all.into_iter().collect();
        let odd = self.at_odds(candidate, &all);
        // What cannot be had in any case is odd by itself.
        let parties = if self.highest(candidate, &odd).is_ok() {
            limiting(&all)
        } else {
            odd.clone()
        };
        let error = DependencyError::Versions {
            name: candidate.name.clone(),
            wanted: parties.iter().map(ToString::to_string).collect(),
            source: self.highest(candidate, &all).err().flatten(),
        };
        // What was wanted before, and could be had, is not what is wrong.
        let (before, anew): (Vec<&Demand>, Vec<&Demand>) = odd
            .into_iter()
            .partition(|demand| self.known.has(&candidate.name, demand));
        let blamed = if anew.is_empty() { before } else { anew };
        let culprits = blamed.into_iter().map(|each| who(each, &candidate.name));
        (error, culprits.collect())
    }

    /// What is wanted and does not go together: without it the others could have what they want.
    fn at_odds<'d>(&mut self, candidate: &Candidate, all: &[&'d Demand]) -> Vec<&'d Demand> {
        let limiting = limiting(all);
        let texts: BTreeSet<_> = limiting.iter().map(|each| &each.requested).collect();
        let without = |text: &Option<String>| {
            let rest = limiting.iter().copied();
            rest.filter(|each| each.requested != *text).collect()
        };
        let odd: Vec<_> = texts
            .into_iter()
            .filter(|text| {
                let rest: Vec<&Demand> = without(text);
                self.highest(candidate, &rest).is_ok()
            })
            .collect();
        if odd.is_empty() {
            return limiting;
        }
        let limiting = limiting.iter().copied();
        limiting
            .filter(|each| odd.contains(&&each.requested))
            .collect()
    }

    /// The fewest who already leave no version of a skill, as far as they were taken.
    pub(super) fn core(
        &mut self,
        way: &PartialSolution<'_, S::Error>,
        candidate: &Candidate,
        demands: &[Demand],
    ) -> BlameSet {
        let mut core: Vec<&Demand> = limiting(&demands.iter().collect::<Vec<_>>());
        let texts: BTreeSet<_> = core.iter().map(|each| &each.requested).collect();
        for text in texts {
            let rest = core.iter().copied();
            let rest: Vec<&Demand> = rest.filter(|each| each.requested != *text).collect();
            if !rest.is_empty() && self.highest(candidate, &rest).is_err() {
                core = rest;
            }
        }
        // Of those who want the same one is enough: who cannot be otherwise, else who came first.
        let texts: BTreeSet<_> = core.iter().map(|each| &each.requested).collect();
        let mut cause = BlameSet::default();
        for text in texts {
            let same = core.iter().filter(|each| each.requested == *text);
            let same: Vec<&&Demand> = same.collect();
            let by = |demand: &Demand| match &demand.who {
                Requester::Skill(by) => way.stack.iter().position(|each| each.name == *by),
                Requester::Asker(_) => None,
            };
            if let Some(first) = same.iter().min_by_key(|each| by(each)) {
                cause.add(self.part(way, first));
            }
        }
        cause
    }

    /// Those who have to be otherwise before a demand goes. What stays as it is installed goes on
    /// wanting something unless it comes anew.
    pub(super) fn part(&self, way: &PartialSolution<'_, S::Error>, demand: &Demand) -> BlameSet {
        match &demand.who {
            Requester::Skill(by) if way.taken.contains_key(by) => BlameSet::of([by.clone()]),
            Requester::Skill(by) => {
                let reaching = self.seen.reaching(by).into_iter();
                let there = reaching.filter(|name| way.taken.contains_key(*name));
                BlameSet::of(there.map(str::to_owned))
            }
            Requester::Asker(_) => BlameSet::default(),
        }
    }
}

/// What limits the versions of a skill.
fn limiting<'d>(all: &[&'d Demand]) -> Vec<&'d Demand> {
    let all = all.iter().copied();
    all.filter(|each| each.requested.is_some()).collect()
}

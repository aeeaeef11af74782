//! Older versions, where the newest ones do not go together.
//!
//! First everything is taken as new as it may be. If two then want what they cannot both have, one
//! of them is taken one version older, then another, and so on, fewest steps back first. What is
//! installed is never taken older than it is.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use semver::Version;

use super::demand::Demand;
use super::error::DependencyError;
use super::resolver::{Resolver, Settled};
use super::round::{Failure, Round};
use super::{HeldBack, Root, Supplier};
use crate::candidate::Candidate;
use crate::reference::Requirement;

/// How often older versions are tried in all: each may have to be fetched.
pub(super) const TRIES: usize = 64;

/// The versions that skills have to be older than, by their names.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Limits(BTreeMap<String, (String, Version)>);

impl Limits {
    /// What the limit of a skill says, as it is requested of its source.
    pub(super) fn of(&self, candidate: &Candidate) -> Option<String> {
        let (source, version) = self.0.get(&candidate.name)?;
        (*source == candidate.source).then(|| format!("<{version}"))
    }

    /// Whether nothing has to be older than it might be.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn with(&self, candidate: &Candidate, version: Version) -> Self {
        let mut limits = self.clone();
        let limit = (candidate.source.clone(), version);
        limits.0.insert(candidate.name.clone(), limit);
        limits
    }

    /// Whether there is no dispute any more, and nothing else is wrong with what is older now. What
    /// is wrong elsewhere is so in any version.
    fn settle<E>(&self, round: &Round<E>, failures: &[Failure<E>]) -> bool {
        let older: Vec<String> = self.0.keys().cloned().collect();
        let affected = round.roots_that_reach(&older);
        failures.iter().all(|failure| {
            let failing = round.roots_that_reach(&failure.culprits);
            !failure.error.is_disagreement() && failing.is_disjoint(&affected)
        })
    }

    /// Writes down which skills are older than they might be, and why.
    fn note<E: std::error::Error + 'static>(&self, round: &mut Round<E>, first: &Settled<E>) {
        let reason = first.1.first().map(|failure| failure.error.to_string());
        for name in self.0.keys() {
            let newest = first.0.found.get(name);
            let newest = newest.and_then(|link| link.needed.candidate.origin.version.clone());
            let held_back = newest.zip(reason.clone());
            if let Some(link) = round.found.get_mut(name) {
                link.needed.held_back =
                    held_back.map(|(newest, reason)| HeldBack { newest, reason });
            }
        }
    }
}

/// Ways that are still to be tried.
#[derive(Default)]
struct Ways {
    /// With one step back of somebody without whom all would be well.
    likely: VecDeque<Limits>,
    /// With one of another party, where that leads nowhere.
    others: VecDeque<Limits>,
}

impl Ways {
    fn next(&mut self) -> Option<Limits> {
        let next = self.likely.pop_front();
        next.or_else(|| self.others.pop_front())
    }
}

impl<S: Supplier> Resolver<'_, S> {
    /// What is needed, in the newest versions that go together.
    pub(super) fn search(
        &mut self,
        roots: &[Root],
    ) -> Result<Settled<S::Error>, DependencyError<S::Error>> {
        self.limits = Limits::default();
        let first = self.settle(roots)?;
        let mut ways = Ways::default();
        self.steps_back(&first, &mut ways);
        let mut seen = BTreeSet::new();
        while let Some(limits) = ways.next() {
            if self.tries == 0 {
                break;
            }
            if !seen.insert(limits.clone()) {
                continue;
            }
            self.tries -= 1;
            self.limits = limits;
            // A way that leads too far is no way.
            let Ok((mut round, failures)) = self.settle(roots) else {
                continue;
            };
            if self.limits.settle(&round, &failures) {
                self.limits.note(&mut round, &first);
                return Ok((round, failures));
            }
            self.steps_back(&(round, failures), &mut ways);
        }
        Ok(first)
    }

    /// Adds the ways to take one of the skills older that want what they cannot all have.
    fn steps_back(&self, (round, failures): &Settled<S::Error>, ways: &mut Ways) {
        let (mut culprits, mut others) = (BTreeSet::new(), BTreeSet::new());
        for failure in failures {
            if let Some(name) = failure.error.disputed() {
                let is_other = |each: &&String| *each != name;
                culprits.extend(failure.culprits.iter().filter(is_other));
                others.extend(failure.parties.iter().filter(is_other));
            } else {
                // What is older already needs something that is not there.
                let is_older = |each: &&String| self.limits.0.contains_key(*each);
                others.extend(failure.culprits.iter().filter(is_older));
            }
        }
        others.retain(|each| !culprits.contains(each));
        ways.likely.extend(self.older(round, culprits));
        ways.others.extend(self.older(round, others));
    }

    /// The ways to take one of these skills older; those that nobody asked for come first.
    fn older(&self, round: &Round<S::Error>, names: BTreeSet<&String>) -> Vec<Limits> {
        let links = names.into_iter().filter_map(|name| round.found.get(name));
        let mut links: Vec<_> = links.collect();
        links.sort_by_key(|link| !link.needed.dependency);
        let steps = links.into_iter().filter_map(|link| {
            let candidate = &link.needed.candidate;
            let version = candidate.origin.version.as_deref()?;
            let demands = round.demands.get(&candidate.name).into_iter().flatten();
            let is_free = demands.into_iter().all(leaves_open)
                && !self.known.is_installed(&candidate.name, version);
            let version = Version::parse(version).ok().filter(|_| is_free)?;
            Some(self.limits.with(candidate, version))
        });
        steps.collect()
    }
}

/// Whether a demand may be met by a version that is not the newest.
fn leaves_open(demand: &Demand) -> bool {
    let requested = demand.requested.as_ref();
    requested.is_none_or(|requested| requested.parse::<Requirement>().is_ok())
}

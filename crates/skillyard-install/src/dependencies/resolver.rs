//! What a search for versions goes by, and the questions that it asks.

use std::sync::Arc;

use semver::Version;

use super::answers::SourceAnswers;
use super::demand::{Demand, Requester, combined};
use super::error::DependencyError;
use super::known::KnownRequests;
use super::seen::SeenVersions;
use super::way::PartialSolution;
use super::{Needed, Supplier};
use crate::candidate::Candidate;

/// How many versions may be tried in all before a search is given up.
const TRIES: usize = 100_000;

/// How many older versions sources may be asked for: each may have to be fetched.
const OLDER: usize = 400;

/// The way from what is asked for to all that is needed.
pub(super) struct Resolver<'a, S: Supplier> {
    pub(super) answers: SourceAnswers<'a, S>,
    pub(super) known: &'a KnownRequests<'a>,
    pub(super) seen: SeenVersions,
    /// What did not go together when all were as new as they can be.
    pub(super) first: Option<Failure<S::Error>>,
    pub(super) tries: usize,
    older: usize,
}

/// Skills that go together, apart from what is wrong with some of them.
pub(super) struct Settled<E> {
    /// The skills, sorted by name.
    pub(super) needed: Vec<Needed>,
    pub(super) failures: Vec<Failure<E>>,
}

/// Something that does not go together.
#[derive(Debug)]
pub(super) struct Failure<E> {
    pub(super) error: DependencyError<E>,
    /// The names of those that were asked for and that it would not be wrong without.
    pub(super) roots: Vec<String>,
}

/// Why a way is not followed any further.
pub(super) enum StopReason<E> {
    /// Something was seen that another order is better for.
    Again,
    /// There are too many ways.
    GivenUp,
    /// It cannot lead anywhere.
    Error(DependencyError<E>),
}

impl<'a, S: Supplier> Resolver<'a, S> {
    pub(super) fn new(supplier: &'a mut S, known: &'a KnownRequests<'a>) -> Self {
        Self {
            answers: SourceAnswers::new(supplier),
            known,
            seen: SeenVersions::new(known.lock),
            first: None,
            tries: TRIES,
            older: OLDER,
        }
    }

    /// Counts a try.
    pub(super) fn try_one(&mut self) -> Result<(), StopReason<S::Error>> {
        self.tries = self.tries.checked_sub(1).ok_or(StopReason::GivenUp)?;
        Ok(())
    }

    /// A skill in the highest version that all allow, or what its source says to that.
    pub(super) fn highest(
        &mut self,
        candidate: &Candidate,
        demands: &[&Demand],
    ) -> Result<Candidate, Option<Arc<S::Error>>> {
        let requested = combined(demands.iter().copied(), None).ok_or(None)?;
        let found = self.answers.at(candidate, &requested).map_err(Some)?;
        let is_allowed = demands.iter().all(|demand| demand.allows(&found));
        if is_allowed { Ok(found) } else { Err(None) }
    }

    /// The next older version that all allow, if there is one.
    pub(super) fn older(
        &mut self,
        candidate: &Candidate,
        demands: &[Demand],
        version: &Version,
    ) -> Result<Option<Candidate>, StopReason<S::Error>> {
        let limit = format!("<{version}");
        let Some(requested) = combined(demands.iter(), Some(&limit)) else {
            return Ok(None);
        };
        let before = self.answers.count();
        let found = self.answers.at(candidate, &requested);
        let asked = self.answers.count() - before;
        self.older = self.older.checked_sub(asked).ok_or(StopReason::GivenUp)?;
        let Ok(mut found) = found else {
            return Ok(None);
        };
        // Nobody requests to be limited; it is only how this one was found.
        found.requested = combined(demands.iter(), None);
        let is_older = version_of(&found).is_some_and(|each| each < *version);
        let is_allowed = is_older && demands.iter().all(|demand| demand.allows(&found));
        Ok(Some(found).filter(|_| is_allowed))
    }

    /// What is wanted of a skill from its source: by those that were taken, those that stay as they are
    /// installed, and who asks for it.
    pub(super) fn demands(
        &self,
        way: &PartialSolution<'_, S::Error>,
        candidate: &Candidate,
    ) -> Vec<Demand> {
        let name = candidate.name.as_str();
        let is_root = |name: &str| way.asked.comes_anew(name);
        let mut demands = self.known.wanted(name, is_root, |name| way.is_anew(name));
        demands.extend(way.wants(name).iter().map(|want| want.demand.clone()));
        let root = way.asked.get(name);
        let asker = root.and_then(|root| Some((root.asker?, &root.candidate)));
        demands.extend(asker.map(|(asker, asked)| Demand::of(Requester::Asker(asker), asked)));
        demands.retain(|demand| demand.source == candidate.source);
        demands.into_iter().collect()
    }
}

/// The version of a skill, if it has one.
pub(super) fn version_of(candidate: &Candidate) -> Option<Version> {
    let version = candidate.origin.version.as_deref()?;
    Version::parse(version).ok()
}

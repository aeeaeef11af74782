//! Rounds until what is wanted and what was taken are one.
//!
//! A round takes each skill as all want it who wanted it in the round before. Another version may
//! need something else, so what does not go together counts only once nothing changes any more.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use super::answers::Answers;
use super::circle::circle;
use super::demand::{Demand, Demands, Who, combined, fits};
use super::error::{DependencyError, described};
use super::known::Known;
use super::met::as_locked;
use super::round::{Failure, Round};
use super::search::{Limits, TRIES};
use super::{Root, Supplier};
use crate::candidate::Candidate;
use crate::lockfile::{Locked, Required, reference};

/// After so many rounds nothing that was wanted once is forgotten, so that there is an end.
const SETTLING: usize = 8;

/// A round in which nothing changed, and what does not go together in it.
pub(super) type Settled<E> = (Round<E>, Vec<Failure<E>>);

/// The way from what is asked for to all that is needed.
pub(super) struct Resolver<'a, S: Supplier> {
    answers: Answers<'a, S>,
    pub(super) known: &'a Known<'a>,
    /// What has to be older than it might be.
    pub(super) limits: Limits,
    /// How often that may still be tried.
    pub(super) tries: usize,
}

impl<'a, S: Supplier> Resolver<'a, S> {
    pub(super) fn new(supplier: &'a mut S, known: &'a Known<'a>) -> Self {
        Self {
            answers: Answers::new(supplier),
            known,
            limits: Limits::default(),
            tries: TRIES,
        }
    }

    /// What is needed once nothing changes any more, within the limits.
    pub(super) fn settle(
        &mut self,
        roots: &[Root],
    ) -> Result<Settled<S::Error>, DependencyError<S::Error>> {
        let names: BTreeSet<&str> = roots.iter().map(|root| &root.candidate.name[..]).collect();
        let mut demands = self.known.demands(&names, &names);
        let mut anew: BTreeSet<String> = BTreeSet::new();
        let mut rounds = 0;
        loop {
            rounds += 1;
            let mut round = self.round(roots, &demands, &anew)?;
            // What is older than it might be has yet to be what it was asked for as.
            let is_alone = round.found.len() == roots.len() && self.known.is_nothing();
            if is_alone && self.limits.is_empty() && round.needs_nothing() {
                let failures = std::mem::take(&mut round.failures);
                return Ok((round, failures));
            }
            let mut found: BTreeSet<String> = round.names().into_iter().map(Into::into).collect();
            let mut wanted = self.known.demands(&names, &round.names());
            if rounds > SETTLING {
                found.extend(anew.iter().cloned());
            }
            let before = (rounds > SETTLING).then(|| demands.clone());
            let more = before.unwrap_or_default().into_iter();
            for (name, more) in more.chain(round.demands.clone()) {
                wanted.entry(name).or_default().extend(more);
            }
            if wanted == demands && found == anew {
                let mut failures = std::mem::take(&mut round.failures);
                // Where it is open which version it is, what that one needs counts for nothing.
                if failures.iter().any(|each| each.error.is_disagreement()) {
                    failures.retain(|each| each.error.is_disagreement());
                }
                if failures.is_empty()
                    && let Some(circle) = circle(&round.found)
                {
                    failures.push(Failure {
                        culprits: circle.clone(),
                        parties: circle.clone(),
                        error: DependencyError::Circle(circle),
                    });
                }
                return Ok((round, failures));
            }
            (demands, anew) = (wanted, found);
        }
    }

    fn round(
        &mut self,
        roots: &[Root],
        demands: &Demands,
        anew: &BTreeSet<String>,
    ) -> Result<Round<S::Error>, DependencyError<S::Error>> {
        let mut round = Round::new();
        let mut queue = VecDeque::new();
        for root in roots {
            let asked = &root.candidate;
            if let Some(other) = round.found.get(&asked.name)
                && other.needed.candidate.tree.digest() != asked.tree.digest()
            {
                let error = DependencyError::Conflict {
                    name: asked.name.clone(),
                    first: "you ask for it".into(),
                    first_source: described(&other.needed.candidate),
                    second: "and".into(),
                    second_source: described(asked),
                };
                round.fail(error, vec![asked.name.clone()]);
                continue;
            }
            let mut candidate = self.fitting(asked, demands, &mut round);
            if let Some(asker) = root.asker {
                candidate.requested.clone_from(&asked.requested);
                round.want(&asked.name, demand(Who::Asker(asker), asked));
            }
            queue.push_back(asked.name.clone());
            round.add_root(candidate);
        }
        while let Some(name) = queue.pop_front() {
            let Some(by) = round.found.get(&name).map(|link| &link.needed.candidate) else {
                continue;
            };
            if by.requires.is_empty() {
                continue;
            }
            let by = by.clone();
            for reference in &by.requires {
                let next = match self.answers.supplied(reference, &by, &round) {
                    Ok(next) => next,
                    Err(error) => {
                        round.fail(error, vec![name.clone()]);
                        continue;
                    }
                };
                let required = Required {
                    name: next.name.clone(),
                    requested: next.requested.clone(),
                };
                round.requires(&name, required);
                let wanted = demand(Who::Skill(name.clone()), &next);
                if let Some(held) = self.known.held(&next.name) {
                    if let Some(error) = unfit(held, &next, &wanted, || round.chain(&name)) {
                        round.fail(error, vec![name.clone()]);
                    }
                    continue;
                }
                round.want(&next.name, wanted.clone());
                match round.found.get(&next.name) {
                    None => {
                        let next = self.fitting(&next, demands, &mut round);
                        if let Some(entry) = self.known.met(&next, demands, anew) {
                            round.keep(as_locked(next, entry), &entry.requires, &name)?;
                            continue;
                        }
                        queue.push_back(next.name.clone());
                        round.add(next, &name)?;
                    }
                    Some(link) => {
                        let other = &link.needed.candidate;
                        let is_other = other.source != next.source
                            || link.needed.stays && !wanted.allows(other);
                        if is_other && other.tree.digest() != next.tree.digest() {
                            let error = DependencyError::Conflict {
                                name: next.name.clone(),
                                first: round.chain(&next.name),
                                first_source: described(other),
                                second: format!("{} → `{}`", round.chain(&name), next.name),
                                second_source: described(&next),
                            };
                            round.fail(error, vec![name.clone(), next.name.clone()]);
                        }
                    }
                }
            }
        }
        Ok(round)
    }

    /// A skill as all want it who want it from this source.
    fn fitting(
        &mut self,
        candidate: &Candidate,
        demands: &Demands,
        round: &mut Round<S::Error>,
    ) -> Candidate {
        let all = demands.get(&candidate.name).into_iter().flatten();
        let all: Vec<&Demand> = all
            .filter(|demand| demand.source == candidate.source)
            .collect();
        if self.is_old_enough(candidate) && all.iter().all(|demand| demand.allows(candidate)) {
            return candidate.clone();
        }
        let source = match self.for_all(candidate, &all) {
            Ok(found) => return found,
            Err(source) => source,
        };
        let odd = self.at_odds(candidate, &all);
        let is_limited = self.limits.of(candidate).is_some();
        let parties = if is_limited && self.for_all(candidate, &[]).is_err() {
            // There is none so old, whatever they want: only without it they can go together.
            all.clone()
        } else {
            self.parties(candidate, &all, &odd)
        };
        let error = DependencyError::Versions {
            name: candidate.name.clone(),
            wanted: parties.iter().map(ToString::to_string).collect(),
            source,
        };
        // What was wanted before, and could be had, is not what is wrong.
        let (before, anew): (Vec<&Demand>, Vec<&Demand>) = odd
            .into_iter()
            .partition(|demand| self.known.has(&candidate.name, demand));
        let blamed = if anew.is_empty() { before } else { anew };
        let who = |demand: &Demand| match &demand.who {
            Who::Skill(name) => name.clone(),
            Who::Asker(_) => candidate.name.clone(),
        };
        round.failures.push(Failure {
            error,
            culprits: blamed.into_iter().map(who).collect(),
            parties: parties.into_iter().map(who).collect(),
        });
        candidate.clone()
    }

    /// All who have a part in it that what is odd does not go together with the rest. What cannot be had
    /// in any case is odd by itself.
    fn parties<'d>(
        &mut self,
        candidate: &Candidate,
        all: &[&'d Demand],
        odd: &[&'d Demand],
    ) -> Vec<&'d Demand> {
        if self.for_all(candidate, odd).is_ok() {
            return limiting(all);
        }
        odd.to_vec()
    }

    fn is_old_enough(&self, candidate: &Candidate) -> bool {
        let limit = self.limits.of(candidate);
        limit.is_none_or(|limit| fits(&limit, candidate.origin.version.as_deref()))
    }

    /// A skill in the highest version that all and the limits allow, or what its source says to
    /// that.
    fn for_all(
        &mut self,
        candidate: &Candidate,
        demands: &[&Demand],
    ) -> Result<Candidate, Option<Arc<S::Error>>> {
        let all = || demands.iter().copied();
        let limit = self.limits.of(candidate);
        let requested = combined(all(), limit.as_deref()).ok_or(None)?;
        let mut found = self.answers.at(candidate, &requested).map_err(Some)?;
        if limit.is_some() {
            // Nobody requests to be limited; it is only how this one was found.
            found.requested = combined(all(), None);
        }
        let is_allowed = all().all(|demand| demand.allows(&found)) && self.is_old_enough(&found);
        if is_allowed { Ok(found) } else { Err(None) }
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
                self.for_all(candidate, &rest).is_ok()
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
}

/// What limits the versions of a skill.
fn limiting<'d>(all: &[&'d Demand]) -> Vec<&'d Demand> {
    let all = all.iter().copied();
    all.filter(|each| each.requested.is_some()).collect()
}

/// That what is needed is not what stays here.
fn unfit<E>(
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

/// What somebody wants who gets this where nobody wants anything else.
fn demand(who: Who, candidate: &Candidate) -> Demand {
    Demand {
        who,
        source: candidate.source.clone(),
        requested: candidate.requested.clone(),
        bytes: Some(candidate.tree.digest()),
    }
}

//! The versions that go together, with the fewest steps back from the newest.
//!
//! First everything is taken as new as all who want it allow. If that leads nowhere, one step back is
//! allowed, then two, and so on. A skill is taken older only where it has a part in it that a way
//! leads nowhere, so sources are asked for nothing else. If a few steps do not do, any number is
//! allowed, and for a while something better is looked for than what is found then.

use std::collections::BTreeMap;

use super::asked::AskedSkills;
use super::cause::BlameSet;
use super::descent::{DescentEnd, Terms};
use super::error::{DependencyError, described};
use super::resolver::{Failure, Resolver, Settled, StopReason};
use super::way::{PartialSolution, StepsBack, TakenSkill};
use super::{HeldBack, Needed, RequestedSkill, Supplier};
use crate::candidate::Candidate;

/// So many steps back are allowed one after the other.
const FEW: usize = 8;

/// So many tries are spent on something better than what was found.
const BETTER: usize = 10_000;

/// Any number of steps back.
const ANY: usize = usize::MAX;

impl<S: Supplier> Resolver<'_, S> {
    /// What is needed, in the newest versions that go together.
    pub(super) fn search(
        &mut self,
        roots: &[RequestedSkill],
    ) -> Result<Settled<S::Error>, DependencyError<S::Error>> {
        let (asked, odd) = AskedSkills::new(roots);
        if let Some((first, second)) = odd {
            return Ok(failed(two_of_one_name(first, second)));
        }
        self.first = None;
        match self.best(&asked) {
            Ok(Ok(way)) => Ok(self.settled(way)),
            Ok(Err(cause)) => Ok(failed(self.refusal(&asked, &cause))),
            Err(StopReason::Error(error)) => Err(error),
            Err(_) => Ok(failed(self.given_up(&asked))),
        }
    }

    /// The way with the fewest steps back, and among those the one that leaves those alone that are
    /// asked for; or why there is none.
    fn best<'r>(
        &mut self,
        asked: &'r AskedSkills<'r>,
    ) -> Result<Best<'r, S::Error>, StopReason<S::Error>> {
        let mut levels = 0..=FEW;
        let mut best = loop {
            let all = levels.next().unwrap_or(ANY);
            match self.look(asked, within(all, ANY))? {
                DescentEnd::Found(way) => break way,
                DescentEnd::Nothing(cause) if !cause.is_cut || all == ANY => return Ok(Err(cause)),
                DescentEnd::Nothing(_) => {}
            }
        };
        // What takes fewer steps was looked for, but not beyond a few.
        let mut fewest = best.steps(None).all.min(FEW + 1);
        let mut fewest_of_roots = 0;
        let kept = self.tries.saturating_sub(BETTER);
        self.tries -= kept;
        loop {
            let StepsBack { all, of_roots } = best.steps(None);
            let terms = if all > fewest {
                within(all - 1, ANY)
            } else if of_roots > fewest_of_roots {
                within(all, of_roots - 1)
            } else {
                break;
            };
            match self.look(asked, terms) {
                Ok(DescentEnd::Found(better)) => best = better,
                Ok(DescentEnd::Nothing(_)) if all > fewest => fewest = all,
                Ok(DescentEnd::Nothing(_)) => fewest_of_roots = of_roots,
                // What was found goes together, too.
                Err(_) => break,
            }
        }
        self.tries += kept;
        Ok(Ok(self.as_installed(asked, &best).unwrap_or(best)))
    }

    /// What is installed, if what was found is another way, and no better than that.
    fn as_installed<'r>(
        &mut self,
        asked: &'r AskedSkills<'r>,
        found: &PartialSolution<'_, S::Error>,
    ) -> Option<PartialSolution<'r, S::Error>> {
        let lock = self.known.lock;
        let is_same = |(name, taken): (&String, &TakenSkill<S::Error>)| {
            let digest = taken.candidate.tree.digest();
            lock.get(name).is_some_and(|entry| entry.digest == digest)
        };
        let mut names = asked.iter().map(|root| &root.candidate.name);
        if found.taken.iter().all(is_same) || !names.all(|name| lock.get(name).is_some()) {
            return None;
        }
        let terms = Terms {
            most: found.steps(None),
            as_installed: true,
        };
        match self.look(asked, terms) {
            Ok(DescentEnd::Found(way)) => Some(way),
            _ => None,
        }
    }

    /// What was found, with the reasons why it is not newer, and what is wrong with it.
    fn settled(&mut self, mut way: PartialSolution<'_, S::Error>) -> Settled<S::Error> {
        let mut held_back = self.held_back(&way);
        let circle = way.circle();
        let mut failures = Vec::new();
        let names: Vec<String> = way.stack.iter().map(|each| each.name.clone()).collect();
        for name in names {
            let taken = way.taken.get_mut(&name);
            let flaws = taken.map(|taken| std::mem::take(&mut taken.flaws));
            for error in flaws.into_iter().flatten() {
                let roots = way.roots_of(std::iter::once(name.clone()));
                let roots = roots.into_iter().collect();
                failures.push(Failure { error, roots });
            }
        }
        if let (Some(circle), []) = (circle, &failures[..]) {
            let roots = way.roots_of(circle.iter().cloned()).into_iter().collect();
            let error = DependencyError::Circle(circle);
            failures.push(Failure { error, roots });
        }
        let needed = way.taken.into_iter().map(|(name, taken)| Needed {
            dependency: !way.asked.has(&name),
            held_back: held_back.remove(&name),
            candidate: taken.candidate,
            requires: taken.requires,
            stays: taken.stays,
        });
        Settled {
            needed: needed.collect(),
            failures,
        }
    }

    /// The skills that are older than all who want them would take, and why.
    fn held_back(&mut self, way: &PartialSolution<'_, S::Error>) -> BTreeMap<String, HeldBack> {
        let mut held_back = BTreeMap::new();
        for choice in &way.stack {
            if let Some(newest) = way.over(choice).max() {
                let newest = newest.to_string();
                let reason = self.reason(way, choice, &newest);
                held_back.insert(choice.name.clone(), HeldBack { newest, reason });
            }
        }
        held_back
    }

    /// That nothing goes together, as it shows first among those that have a part in it when all are as
    /// new as they can be.
    fn refusal(&mut self, asked: &AskedSkills<'_>, cause: &BlameSet) -> Failure<S::Error> {
        let first = self.first.take();
        if let Some(part) = asked.part(&cause.parties) {
            // Of others it may have shown first that they do not, and they could step back.
            let _ = self.look(&part, within(0, 0));
        }
        let found = self.first.take().or(first);
        found.unwrap_or_else(|| self.given_up(asked))
    }

    /// That too much would have to be tried.
    fn given_up(&mut self, asked: &AskedSkills<'_>) -> Failure<S::Error> {
        let all = || {
            asked
                .iter()
                .map(|root| root.candidate.name.clone())
                .collect()
        };
        let (reason, roots) = match self.first.take() {
            Some(first) => (first.error.to_string(), first.roots),
            None => ("too many skills need each other".to_owned(), all()),
        };
        let error = DependencyError::GivenUp { reason };
        Failure { error, roots }
    }
}

/// A way, or why there is none.
type Best<'r, E> = Result<PartialSolution<'r, E>, BlameSet>;

fn within(all: usize, of_roots: usize) -> Terms {
    Terms {
        most: StepsBack { all, of_roots },
        as_installed: false,
    }
}

fn failed<E>(failure: Failure<E>) -> Settled<E> {
    Settled {
        needed: Vec::new(),
        failures: vec![failure],
    }
}

/// That two different skills of one name are asked for.
fn two_of_one_name<E>(first: &Candidate, second: &Candidate) -> Failure<E> {
    Failure {
        roots: vec![first.name.clone()],
        error: DependencyError::Conflict {
            name: first.name.clone(),
            first: "you ask for it".into(),
            first_source: described(first),
            second: "and".into(),
            second_source: described(second),
        },
    }
}

//! One look for versions that go together: forward as long as they do, and back to who has a part in
//! it where they do not.

use std::collections::BTreeSet;

use semver::Version;

use super::Supplier;
use super::asked::AskedSkills;
use super::cause::BlameSet;
use super::demand::{Demand, Requester};
use super::resolver::{Resolver, StopReason, version_of};
use super::way::{PartialSolution, StepsBack, VersionChoice};
use crate::candidate::Candidate;

/// What a look may come to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    /// The most steps back.
    pub(super) most: StepsBack,
    /// Whether only what is installed counts.
    pub(super) as_installed: bool,
}

impl Terms {
    pub(super) fn allow(&self, steps: StepsBack) -> bool {
        steps.all <= self.most.all && steps.of_roots <= self.most.of_roots
    }
}

/// How a look ended.
pub(super) enum DescentEnd<'r, E> {
    Found(PartialSolution<'r, E>),
    /// There is nothing, and why.
    Nothing(BlameSet),
}

impl<S: Supplier> Resolver<'_, S> {
    /// Looks for versions that go together, again as long as a better order shows.
    pub(super) fn look<'r>(
        &mut self,
        asked: &'r AskedSkills<'r>,
        terms: Terms,
    ) -> Result<DescentEnd<'r, S::Error>, StopReason<S::Error>> {
        let mut stale = BTreeSet::new();
        loop {
            match self.descend(asked, terms, &mut stale) {
                Err(StopReason::Again) if terms.most.all == 0 => self.first = None,
                Err(StopReason::Again) => {}
                end => return end,
            }
        }
    }

    fn descend<'r>(
        &mut self,
        asked: &'r AskedSkills<'r>,
        terms: Terms,
        stale: &mut BTreeSet<String>,
    ) -> Result<DescentEnd<'r, S::Error>, StopReason<S::Error>> {
        let mut way = PartialSolution::new(asked, self.seen.order());
        loop {
            let dead = if let Some(name) = way.next().cloned() {
                self.choose(&mut way, &name, terms)?
            } else if let Some(cause) = self.complete(&way, terms, stale)? {
                Some(cause)
            } else {
                return Ok(DescentEnd::Found(way));
            };
            if let Some(cause) = dead
                && let Some(cause) = self.retreat(&mut way, cause, terms)?
            {
                return Ok(DescentEnd::Nothing(cause));
            }
        }
    }

    /// Takes a skill as new as all allow, or says why that leads nowhere.
    fn choose(
        &mut self,
        way: &mut PartialSolution<'_, S::Error>,
        name: &str,
        terms: Terms,
    ) -> Result<Option<BlameSet>, StopReason<S::Error>> {
        let Some(base) = way.base(name).cloned() else {
            return Ok(Some(BlameSet::default()));
        };
        let demands = self.demands(way, &base);
        let mut candidate = base.clone();
        if !demands.iter().all(|demand| demand.allows(&base)) {
            let Ok(found) = self.highest(&base, &demands.iter().collect::<Vec<_>>()) else {
                self.fail_versions(way, &base, &demands);
                return Ok(Some(self.core(way, &base, &demands).about(name)));
            };
            candidate = found;
        }
        let stays = |demand: &Demand| match &demand.who {
            Requester::Skill(by) => !way.taken.contains_key(by),
            Requester::Asker(_) => false,
        };
        way.stack.push(VersionChoice {
            name: name.to_owned(),
            counts_on_staying: demands.iter().any(stays),
            version: version_of(&candidate),
            base,
            demands,
            over: Vec::new(),
            cause: BlameSet::default(),
        });
        if terms.as_installed {
            let installed = self.known.lock.get(name).map(|entry| entry.digest);
            while Some(candidate.tree.digest()) != installed {
                match self.step_back(way, terms)? {
                    Some(older) => candidate = older,
                    None => return Ok(Some(BlameSet::default())),
                }
            }
        }
        self.take(way, candidate, terms)
    }

    /// Goes back to the last who has a part in it that a way leads nowhere, and takes an older version
    /// of that. Where there is none, says why.
    fn retreat(
        &mut self,
        way: &mut PartialSolution<'_, S::Error>,
        mut cause: BlameSet,
        terms: Terms,
    ) -> Result<Option<BlameSet>, StopReason<S::Error>> {
        loop {
            let Some(choice) = way.stack.last_mut() else {
                return Ok(Some(cause));
            };
            let name = choice.name.clone();
            if !cause.names.remove(&name) {
                way.leave(&name);
                way.stack.pop();
                continue;
            }
            choice.cause.add(std::mem::take(&mut cause));
            way.leave(&name);
            let older = if terms.as_installed {
                None
            } else {
                self.step_back(way, terms)?
            };
            if let Some(older) = older {
                match self.take(way, older, terms)? {
                    Some(more) => cause = more,
                    None => return Ok(None),
                }
                continue;
            }
            let Some(choice) = way.stack.pop() else {
                return Ok(Some(cause));
            };
            // Whoever wants it could leave other versions of it, or do without.
            cause = choice.cause.about(&name);
            for demand in &choice.demands {
                cause.add(self.part(way, demand));
            }
            let others = way.wants(&name).iter().map(|want| want.by.clone());
            cause.names.extend(others);
        }
    }

    /// The next older version of the skill that was chosen last, unless that would be too far back.
    fn step_back(
        &mut self,
        way: &mut PartialSolution<'_, S::Error>,
        terms: Terms,
    ) -> Result<Option<Candidate>, StopReason<S::Error>> {
        let Some(choice) = way.stack.last_mut() else {
            return Ok(None);
        };
        let is_open = choice.demands.iter().all(Demand::leaves_open);
        let Some(version) = choice.version.take().filter(|_| is_open) else {
            return Ok(None);
        };
        choice.over.push(version.clone());
        if !terms.allow(way.steps(Some(&self.seen))) {
            let cause = way.too_far(&self.seen);
            if let Some(choice) = way.stack.last_mut() {
                choice.cause.add(cause);
            }
            return Ok(None);
        }
        let Some(choice) = way.stack.last_mut() else {
            return Ok(None);
        };
        let older = self.older(&choice.base, &choice.demands, &version)?;
        let older = older.filter(|older| !self.is_too_old(choice, older));
        let Some(mut older) = older else {
            return Ok(None);
        };
        choice.version = version_of(&older);
        if let Some(root) = way.asked.get(&choice.name)
            && root.asker.is_some()
        {
            older.requested.clone_from(&root.candidate.requested);
        }
        Ok(Some(older))
    }

    /// Whether a version is older than the installed one, which would do as well.
    fn is_too_old(&self, choice: &VersionChoice, candidate: &Candidate) -> bool {
        let entry = self.known.lock.get(&choice.name);
        let entry = entry.filter(|entry| {
            entry.source == choice.base.source
                && choice.demands.iter().all(|demand| demand.allows(*entry))
        });
        let installed = entry.and_then(|entry| Version::parse(entry.version.as_deref()?).ok());
        let version = version_of(candidate);
        installed.is_some_and(|installed| version.is_some_and(|version| version < installed))
    }

    /// Whether what was taken may be what is looked for: all of it, in no more steps back than may be.
    fn complete(
        &mut self,
        way: &PartialSolution<'_, S::Error>,
        terms: Terms,
        stale: &mut BTreeSet<String>,
    ) -> Result<Option<BlameSet>, StopReason<S::Error>> {
        // What came anew later may have been thought to stay, and to want what it wants as it is.
        for choice in way.stack.iter().filter(|each| each.counts_on_staying) {
            let now = self.demands(way, &choice.base);
            let is_stale = choice.demands.iter().any(|each| !now.contains(each));
            if is_stale && stale.insert(choice.name.clone()) {
                return Err(StopReason::Again);
            }
        }
        if !terms.allow(way.steps(None)) {
            return Ok(Some(way.too_far(&self.seen)));
        }
        Ok(way.wrong_because_older())
    }
}

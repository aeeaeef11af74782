//! One look for versions that go together: forward as long as they do, and back to who has a part in
//! it where they do not.

use std::collections::BTreeSet;

use semver::Version;

use super::Supplier;
use super::asked::Asked;
use super::cause::Cause;
use super::demand::{Demand, Who};
use super::resolver::{Resolver, Stop, version_of};
use super::way::{Choice, Steps, Way};
use crate::candidate::Candidate;

/// What a look may come to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    /// The most steps back.
    pub(super) most: Steps,
    /// Whether only what is installed counts.
    pub(super) as_installed: bool,
}

impl Terms {
    pub(super) fn allow(&self, steps: Steps) -> bool {
        steps.all <= self.most.all && steps.of_roots <= self.most.of_roots
    }
}

/// How a look ended.
pub(super) enum End<'r, E> {
    Found(Way<'r, E>),
    /// There is nothing, and why.
    Nothing(Cause),
}

impl<S: Supplier> Resolver<'_, S> {
    /// Looks for versions that go together, again as long as a better order shows.
    pub(super) fn look<'r>(
        &mut self,
        asked: &'r Asked<'r>,
        terms: Terms,
    ) -> Result<End<'r, S::Error>, Stop<S::Error>> {
        let mut stale = BTreeSet::new();
        loop {
            match self.descend(asked, terms, &mut stale) {
                Err(Stop::Again) if terms.most.all == 0 => self.first = None,
                Err(Stop::Again) => {}
                end => return end,
            }
        }
    }

    fn descend<'r>(
        &mut self,
        asked: &'r Asked<'r>,
        terms: Terms,
        stale: &mut BTreeSet<String>,
    ) -> Result<End<'r, S::Error>, Stop<S::Error>> {
        let mut way = Way::new(asked, self.seen.order());
        loop {
            let dead = if let Some(name) = way.next().cloned() {
                self.choose(&mut way, &name, terms)?
            } else if let Some(cause) = self.complete(&way, terms, stale)? {
                Some(cause)
            } else {
                return Ok(End::Found(way));
            };
            if let Some(cause) = dead
                && let Some(cause) = self.retreat(&mut way, cause, terms)?
            {
                return Ok(End::Nothing(cause));
            }
        }
    }

    /// Takes a skill as new as all allow, or says why that leads nowhere.
    fn choose(
        &mut self,
        way: &mut Way<'_, S::Error>,
        name: &str,
        terms: Terms,
    ) -> Result<Option<Cause>, Stop<S::Error>> {
        let Some(base) = way.base(name).cloned() else {
            return Ok(Some(Cause::default()));
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
            Who::Skill(by) => !way.taken.contains_key(by),
            Who::Asker(_) => false,
        };
        way.stack.push(Choice {
            name: name.to_owned(),
            counts_on_staying: demands.iter().any(stays),
            version: version_of(&candidate),
            base,
            demands,
            over: Vec::new(),
            cause: Cause::default(),
        });
        if terms.as_installed {
            let installed = self.known.lock.get(name).map(|entry| entry.digest);
            while Some(candidate.tree.digest()) != installed {
                match self.step_back(way, terms)? {
                    Some(older) => candidate = older,
                    None => return Ok(Some(Cause::default())),
                }
            }
        }
        self.take(way, candidate, terms)
    }

    /// Goes back to the last who has a part in it that a way leads nowhere, and takes an older version
    /// of that. Where there is none, says why.
    fn retreat(
        &mut self,
        way: &mut Way<'_, S::Error>,
        mut cause: Cause,
        terms: Terms,
    ) -> Result<Option<Cause>, Stop<S::Error>> {
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
        way: &mut Way<'_, S::Error>,
        terms: Terms,
    ) -> Result<Option<Candidate>, Stop<S::Error>> {
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
    fn is_too_old(&self, choice: &Choice, candidate: &Candidate) -> bool {
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
        way: &Way<'_, S::Error>,
        terms: Terms,
        stale: &mut BTreeSet<String>,
    ) -> Result<Option<Cause>, Stop<S::Error>> {
        // What came anew later may have been thought to stay, and to want what it wants as it is.
        for choice in way.stack.iter().filter(|each| each.counts_on_staying) {
            let now = self.demands(way, &choice.base);
            let is_stale = choice.demands.iter().any(|each| !now.contains(each));
            if is_stale && stale.insert(choice.name.clone()) {
                return Err(Stop::Again);
            }
        }
        if !terms.allow(way.steps(None)) {
            return Ok(Some(way.too_far(&self.seen)));
        }
        Ok(way.wrong_because_older())
    }
}

//! One way through the versions: what was taken so far, in which order, and what is still to be taken.

use std::collections::{BTreeMap, BTreeSet};

use semver::Version;

use super::asked::AskedSkills;
use super::cause::BlameSet;
use super::circle::{Needs, circle};
use super::demand::{Demand, Requester, fits};
use super::error::DependencyError;
use super::seen::SeenVersions;
use super::{DEEPEST, MOST};
use crate::candidate::Candidate;
use crate::lockfile::Required;

/// Most skills of a way that are named.
const SHOWN: usize = 10;

/// Where a skill stands in the order; what needs nothing comes last.
type OrderKey = (bool, usize);

/// A way so far.
pub(super) struct PartialSolution<'r, E> {
    pub(super) asked: &'r AskedSkills<'r>,
    pub(super) taken: BTreeMap<String, TakenSkill<E>>,
    /// How many of those that were taken nobody asked for.
    along: usize,
    /// The skills in the order in which they were taken.
    pub(super) stack: Vec<VersionChoice>,
    /// What those that were taken want of each skill.
    wants: BTreeMap<String, Vec<Request>>,
    order: BTreeMap<String, usize>,
    places: BTreeMap<String, OrderKey>,
    open: BTreeSet<(OrderKey, String)>,
}

/// A skill that was taken.
pub(super) struct TakenSkill<E> {
    pub(super) candidate: Candidate,
    pub(super) requires: Vec<Required>,
    /// Whether it stays as it is installed.
    pub(super) stays: bool,
    /// What it needs and cannot be had.
    pub(super) flaws: Vec<DependencyError<E>>,
}

/// What a skill that was taken wants of another one.
#[derive(Clone)]
pub(super) struct Request {
    pub(super) by: String,
    /// What it would get if nobody else wanted anything.
    pub(super) next: Candidate,
    pub(super) demand: Demand,
}

/// Which version of a skill was chosen, and among which.
pub(super) struct VersionChoice {
    pub(super) name: String,
    /// The skill as it came to be looked at.
    pub(super) base: Candidate,
    /// What was wanted of it then.
    pub(super) demands: Vec<Demand>,
    /// Whether somebody wanted it who was thought to stay as they are.
    pub(super) counts_on_staying: bool,
    /// The version that was taken last.
    pub(super) version: Option<Version>,
    /// The newer versions that would have done.
    pub(super) over: Vec<Version>,
    /// Why they do not go together with the rest.
    pub(super) cause: BlameSet,
}

/// How many versions skills are behind what all who want them would take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct StepsBack {
    pub(super) all: usize,
    /// Of those that are asked for.
    pub(super) of_roots: usize,
}

impl<'r, E> PartialSolution<'r, E> {
    pub(super) fn new(asked: &'r AskedSkills<'r>, order: BTreeMap<String, usize>) -> Self {
        let mut way = Self {
            asked,
            taken: BTreeMap::new(),
            along: 0,
            stack: Vec::new(),
            wants: BTreeMap::new(),
            order,
            places: BTreeMap::new(),
            open: BTreeSet::new(),
        };
        for root in asked.iter() {
            way.open(&root.candidate.name, &root.candidate);
        }
        way
    }

    /// The skill that is to be taken next.
    pub(super) fn next(&self) -> Option<&String> {
        self.open.first().map(|(_, name)| name)
    }

    /// A skill as it comes to be looked at: as it is asked for, or as the first wants it.
    pub(super) fn base(&self, name: &str) -> Option<&Candidate> {
        let asked = self.asked.get(name).map(|root| &root.candidate);
        asked.or_else(|| self.wants(name).first().map(|want| &want.next))
    }

    /// What those that were taken want of a skill.
    pub(super) fn wants(&self, name: &str) -> &[Request] {
        self.wants.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether a skill does not just stay as it is.
    pub(super) fn is_anew(&self, name: &str) -> bool {
        let taken = self.taken.get(name);
        self.asked.comes_anew(name) || taken.is_some_and(|taken| !taken.stays)
    }

    /// Takes the skill that was chosen last.
    pub(super) fn take(&mut self, taken: TakenSkill<E>, wants: Vec<Request>) {
        let name = taken.candidate.name.clone();
        self.open.remove(&(self.place(&name), name.clone()));
        if !self.asked.has(&name) {
            self.along += 1;
        }
        self.taken.insert(name, taken);
        for want in wants {
            let next = want.next.name.clone();
            if !self.taken.contains_key(&next) {
                self.open(&next, &want.next);
            }
            self.wants.entry(next).or_default().push(want);
        }
    }

    /// Takes the skill that was chosen last away again, if it was taken.
    pub(super) fn leave(&mut self, name: &str) {
        let Some(taken) = self.taken.remove(name) else {
            return;
        };
        if !self.asked.has(name) {
            self.along -= 1;
        }
        for required in taken.requires {
            let next = required.name;
            let Some(wants) = self.wants.get_mut(&next) else {
                continue;
            };
            wants.retain(|want| want.by != name);
            if wants.is_empty() {
                self.wants.remove(&next);
                if !self.asked.has(&next) {
                    self.open.remove(&(self.place(&next), next));
                }
            }
        }
        self.open.insert((self.place(name), name.to_owned()));
    }

    fn open(&mut self, name: &str, candidate: &Candidate) {
        let place = self.order.get(name).map(|place| (false, *place));
        // Who is new mostly needs others.
        let place = place.unwrap_or((candidate.requires.is_empty(), 0));
        let place = *self.places.entry(name.to_owned()).or_insert(place);
        self.open.insert((place, name.to_owned()));
    }

    fn place(&self, name: &str) -> OrderKey {
        self.places.get(name).copied().unwrap_or_default()
    }

    /// How many steps back were taken. Versions that somebody may still rule out who was `seen` on
    /// another way do not count yet.
    pub(super) fn steps(&self, seen: Option<&SeenVersions>) -> StepsBack {
        let mut steps = StepsBack::default();
        for choice in self.stack.iter().filter(|each| !each.over.is_empty()) {
            let is_there = |name: &str| self.taken.contains_key(name);
            let may_go = |version: &&Version| {
                seen.is_some_and(|seen| seen.may_rule_out(&choice.name, version, is_there))
            };
            let over = self.over(choice).filter(|version| !may_go(version)).count();
            steps.all += over;
            if self.asked.has(&choice.name) {
                steps.of_roots += over;
            }
        }
        steps
    }

    /// The newer versions of a skill that would do for all who want it by now.
    pub(super) fn over<'c>(&self, choice: &'c VersionChoice) -> impl Iterator<Item = &'c Version> {
        let wants = self.wants(&choice.name).iter();
        let requested: Vec<&str> = wants
            .filter(|want| want.demand.source == choice.base.source)
            .filter_map(|want| want.demand.requested.as_deref())
            .collect();
        choice.over.iter().filter(move |version| {
            let version = version.to_string();
            requested.iter().all(|each| fits(each, Some(&version)))
        })
    }

    /// That more steps back are not to be taken: all who took one have a part in it, and who may rule
    /// out what they left.
    pub(super) fn too_far(&self, seen: &SeenVersions) -> BlameSet {
        let mut cause = BlameSet {
            is_cut: true,
            ..BlameSet::default()
        };
        for choice in self.stack.iter().filter(|each| !each.over.is_empty()) {
            cause.names.insert(choice.name.clone());
            let wanting = seen.wanting(&choice.name);
            let there = wanting.filter(|name| self.taken.contains_key(*name));
            cause.names.extend(there.cloned());
        }
        cause
    }

    /// Why what was taken does not do, although it goes together: something is wrong with it, and it is
    /// so only because something is older. What is wrong elsewhere is so in any version.
    pub(super) fn wrong_because_older(&self) -> Option<BlameSet> {
        let older = self
            .stack
            .iter()
            .filter(|each| self.over(each).next().is_some());
        let older: Vec<String> = older.map(|each| each.name.clone()).collect();
        if older.is_empty() {
            return None;
        }
        let flawed = self
            .taken
            .iter()
            .filter(|(_, taken)| !taken.flaws.is_empty());
        let flawed = flawed.map(|(name, _)| name.clone());
        let wrong: Vec<String> = flawed.chain(self.circle().into_iter().flatten()).collect();
        let affected = self.roots_of(older.iter().cloned());
        if self.roots_of(wrong.iter().cloned()).is_disjoint(&affected) {
            return None;
        }
        let part = older.into_iter().chain(wrong);
        Some(BlameSet::of(self.with_who_needs(part)))
    }

    /// Whom each skill that was taken needs.
    pub(super) fn needs(&self) -> Needs<'_> {
        let taken = self.taken.iter();
        let needs = taken.map(|(name, taken)| {
            let names = taken.requires.iter().map(|each| each.name.as_str());
            (name.as_str(), names.collect())
        });
        needs.collect()
    }

    /// The first circle among those that were taken.
    pub(super) fn circle(&self) -> Option<Vec<String>> {
        circle(&self.needs())
    }

    /// Why a skill that somebody needs is one too many: what strangers need may have no end.
    pub(super) fn endless(&self, name: &str) -> Option<DependencyError<E>> {
        if self.back(name).nth(DEEPEST).is_some() {
            let (most, chain) = (DEEPEST, self.chain(name));
            return Some(DependencyError::TooDeep { most, chain });
        }
        (self.along >= MOST).then(|| DependencyError::TooMany {
            most: MOST,
            chain: self.chain(name),
        })
    }

    /// A skill, who needs it, who needs that one, up to who is asked for.
    fn back<'n>(&'n self, name: &'n str) -> impl Iterator<Item = &'n str> {
        let by = |name: &&str| {
            let wants = self.wants.get(*name);
            let wants = wants.filter(|_| !self.asked.has(name));
            wants?.first().map(|want| want.by.as_str())
        };
        // Where they need one another in a circle, it has no end.
        std::iter::successors(Some(name), by).take(MOST)
    }

    /// How a skill was come to, as `a → b`; of a long way the middle is left out.
    pub(super) fn chain(&self, name: &str) -> String {
        let mut names: Vec<String> = self.back(name).map(|name| format!("`{name}`")).collect();
        names.reverse();
        if names.len() > SHOWN {
            let end = names.len() - SHOWN / 2;
            names.splice(SHOWN / 2..end, ["…".to_owned()]);
        }
        names.join(" → ")
    }

    /// These skills, and all that were taken and need them.
    pub(super) fn with_who_needs(&self, names: impl Iterator<Item = String>) -> BTreeSet<String> {
        let mut reached = BTreeSet::new();
        let mut queue: Vec<String> = names.collect();
        while let Some(name) = queue.pop() {
            if !reached.contains(&name) {
                queue.extend(self.wants(&name).iter().map(|want| want.by.clone()));
                reached.insert(name);
            }
        }
        reached
    }

    /// The skills that are asked for and are, or need, one of these.
    pub(super) fn roots_of(&self, names: impl Iterator<Item = String>) -> BTreeSet<String> {
        let mut reached = self.with_who_needs(names);
        reached.retain(|name| self.asked.has(name));
        reached
    }
}

/// The skill that wants something of another one, or that one itself where nobody else does.
pub(super) fn who(demand: &Demand, name: &str) -> String {
    match &demand.who {
        Requester::Skill(by) => by.clone(),
        Requester::Asker(_) => name.to_owned(),
    }
}

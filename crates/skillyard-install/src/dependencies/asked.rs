//! The skills that are asked for.

use std::collections::{BTreeMap, BTreeSet};

use super::RequestedSkill;
use crate::candidate::Candidate;

/// Those that are looked at, by their names.
pub(super) struct AskedSkills<'r> {
    roots: BTreeMap<&'r str, &'r RequestedSkill>,
    /// The names of all, also where only a part of them is looked at.
    all: BTreeSet<&'r str>,
}

impl<'r> AskedSkills<'r> {
    /// All of them; of several of one name the last, and with the one before it where it is another.
    pub(super) fn new(
        roots: &'r [RequestedSkill],
    ) -> (Self, Option<(&'r Candidate, &'r Candidate)>) {
        let mut of_name = BTreeMap::new();
        let mut odd = None;
        for root in roots {
            let second = &root.candidate;
            let first: Option<&RequestedSkill> = of_name.insert(second.name.as_str(), root);
            let first = first.map(|first| &first.candidate);
            let other = first.filter(|first| first.tree.digest() != second.tree.digest());
            odd = odd.or(other.map(|first| (first, second)));
        }
        let all = of_name.keys().copied().collect();
        let roots = of_name;
        (Self { roots, all }, odd)
    }

    /// Those of some names, as long as there are others. The others come anew all the same, so what they
    /// are now counts for nothing.
    pub(super) fn part(&self, names: &BTreeSet<String>) -> Option<Self> {
        let mut roots = self.roots.clone();
        roots.retain(|name, _| names.contains(*name));
        let is_part = !roots.is_empty() && roots.len() < self.roots.len();
        let all = self.all.clone();
        is_part.then_some(Self { roots, all })
    }

    pub(super) fn get(&self, name: &str) -> Option<&'r RequestedSkill> {
        self.roots.get(name).copied()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.roots.contains_key(name)
    }

    /// Whether a skill is asked for, be it looked at or not.
    pub(super) fn comes_anew(&self, name: &str) -> bool {
        self.all.contains(name)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'r RequestedSkill> {
        self.roots.values().copied()
    }
}

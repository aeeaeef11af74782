//! What is wanted already, and goes on being wanted.

use std::collections::{BTreeMap, BTreeSet};

use super::demand::{Asker, Demand, Requester, combined};
use crate::lockfile::{Locked, Lockfile, Required, rules_out};

/// What installed skills need and what was asked for before.
#[derive(Debug, Clone)]
pub struct KnownRequests<'a> {
    pub(super) lock: &'a Lockfile,
    /// The installed skills that need another one, by its name.
    needing: BTreeMap<&'a str, Vec<&'a Locked>>,
    /// By the names of the skills.
    wishes: BTreeMap<String, Vec<KnownRequest>>,
    held: BTreeSet<String>,
}

#[derive(Debug, Clone)]
struct KnownRequest {
    source: String,
    requested: Option<String>,
    asker: Asker,
}

impl<'a> KnownRequests<'a> {
    /// What the installed skills need of each other.
    pub fn new(lock: &'a Lockfile) -> Self {
        let mut needing: BTreeMap<&str, Vec<&Locked>> = BTreeMap::new();
        for entry in lock.skills() {
            for name in entry.needs() {
                let of_name = needing.entry(name).or_default();
                if !of_name.iter().any(|other| other.name == entry.name) {
                    of_name.push(entry);
                }
            }
        }
        Self {
            lock,
            needing,
            wishes: BTreeMap::new(),
            held: BTreeSet::new(),
        }
    }

    /// What is installed.
    pub fn lock(&self) -> &'a Lockfile {
        self.lock
    }

    /// Adds that an installed skill stays as it is, whoever wants it otherwise.
    pub fn hold(&mut self, name: &str) {
        self.held.insert(name.to_owned());
    }

    /// An installed skill that stays as it is.
    pub(super) fn held(&self, name: &str) -> Option<&Locked> {
        self.lock.get(name).filter(|_| self.held.contains(name))
    }

    /// Adds that a skill is wanted from a source, as it was requested.
    pub fn wish(&mut self, name: &str, source: String, requested: Option<String>, asker: Asker) {
        let of_name = self.wishes.entry(name.to_owned()).or_default();
        of_name.push(KnownRequest {
            source,
            requested,
            asker,
        });
    }

    /// What all together request of the installed skills, by their names.
    pub fn requested(&self) -> BTreeMap<String, String> {
        let requested = self.lock.skills().iter().filter_map(|entry| {
            let demands = self.wanted(&entry.name, |_| false, |_| false);
            let demands = demands
                .iter()
                .filter(|demand| demand.source == entry.source);
            Some((entry.name.clone(), combined(demands, None)?))
        });
        requested.collect()
    }

    /// Whether just that is wanted of a skill as things are.
    pub(super) fn has(&self, name: &str, demand: &Demand) -> bool {
        match &demand.who {
            Requester::Skill(by) => self.lock.get(by).is_some_and(|entry| {
                let mut requires = entry.requires.iter();
                requires.any(|each| each.name == name && each.requested == demand.requested)
            }),
            Requester::Asker(_) => {
                let mut wishes = self.wishes.get(name).into_iter().flatten();
                wishes.any(|wish| wish.requested == demand.requested)
            }
        }
    }

    /// What goes on being wanted of a skill where some are asked for anew, and those and others come as
    /// they are now.
    pub(super) fn wanted(
        &self,
        name: &str,
        is_root: impl Fn(&str) -> bool,
        is_anew: impl Fn(&str) -> bool,
    ) -> BTreeSet<Demand> {
        let mut demands = BTreeSet::new();
        let wishes = self.wishes.get(name).filter(|_| !is_root(name));
        for wish in wishes.into_iter().flatten() {
            let locked = self.lock.get(name);
            let locked = locked.filter(|entry| {
                !entry.dependency
                    && entry.source == wish.source
                    && entry.requested == wish.requested
            });
            demands.insert(Demand {
                who: Requester::Asker(wish.asker),
                source: wish.source.clone(),
                requested: wish.requested.clone(),
                bytes: locked.map(|entry| entry.digest),
            });
        }
        for entry in self.needing(name) {
            if self.stays(entry, &is_anew) {
                let required = entry.requires.iter().filter(|each| each.name == name);
                demands.extend(required.filter_map(|each| self.demand(entry, each)));
            }
        }
        demands
    }

    /// What an installed skill wants of another one, unless it does not have that as it is.
    fn demand(&self, by: &Locked, required: &Required) -> Option<Demand> {
        let requested = required.requested.clone()?;
        let needed = self.lock.get(&required.name)?;
        let is_other = |version: &String| rules_out(&requested, version, needed.origin);
        if needed.version.as_ref().is_some_and(is_other) {
            return None;
        }
        Some(Demand {
            who: Requester::Skill(by.name.clone()),
            source: needed.source.clone(),
            requested: Some(requested),
            bytes: Some(needed.digest),
        })
    }

    /// The installed skills that need another one.
    fn needing(&self, name: &str) -> impl Iterator<Item = &'a Locked> {
        let needing = self.needing.get(name).into_iter().flatten();
        needing.copied()
    }

    /// Whether an installed skill stays as it is, and is wanted or held.
    fn stays(&self, entry: &'a Locked, is_anew: impl Fn(&str) -> bool) -> bool {
        let mut seen = BTreeSet::new();
        let mut queue = vec![entry];
        while let Some(entry) = queue.pop() {
            if is_anew(&entry.name) || !seen.insert(entry.name.as_str()) {
                continue;
            }
            // What is held is not always wanted, but it is there and goes on needing what it needs.
            if !entry.dependency || self.held.contains(&entry.name) {
                return true;
            }
            queue.extend(self.needing(&entry.name));
        }
        false
    }
}

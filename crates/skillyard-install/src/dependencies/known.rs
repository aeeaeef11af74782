//! What is wanted already, and goes on being wanted.

use std::collections::{BTreeMap, BTreeSet};

use super::demand::{Asker, Demand, Demands, Who, combined};
use crate::lockfile::{Locked, Lockfile, Required, rules_out};

/// What installed skills need and what was asked for before.
#[derive(Debug, Clone)]
pub struct Known<'a> {
    pub(super) lock: &'a Lockfile,
    wishes: Vec<Wish>,
    held: BTreeSet<String>,
}

#[derive(Debug, Clone)]
struct Wish {
    name: String,
    source: String,
    requested: Option<String>,
    asker: Asker,
}

impl<'a> Known<'a> {
    /// What the installed skills need of each other.
    pub fn new(lock: &'a Lockfile) -> Self {
        Self {
            lock,
            wishes: Vec::new(),
            held: BTreeSet::new(),
        }
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
        self.wishes.push(Wish {
            name: name.to_owned(),
            source,
            requested,
            asker,
        });
    }

    /// Whether nothing is installed, and nothing was asked for before.
    pub(super) fn is_nothing(&self) -> bool {
        self.lock.skills().is_empty() && self.wishes.is_empty()
    }

    /// What all together request of the installed skills, by their names.
    pub fn requested(&self) -> BTreeMap<String, String> {
        let nothing = BTreeSet::new();
        let demands = self.demands(&nothing, &nothing).into_iter();
        let requested = demands.filter_map(|(name, demands)| {
            let source = &self.lock.get(&name)?.source;
            let demands = demands.iter().filter(|demand| demand.source == *source);
            Some((name, combined(demands, None)?))
        });
        requested.collect()
    }

    /// Whether a skill is installed in just this version.
    pub(super) fn is_installed(&self, name: &str, version: &str) -> bool {
        let installed = self
            .lock
            .get(name)
            .and_then(|entry| entry.version.as_deref());
        installed == Some(version)
    }

    /// Whether just that is wanted of a skill as things are.
    pub(super) fn has(&self, name: &str, demand: &Demand) -> bool {
        match &demand.who {
            Who::Skill(by) => self.lock.get(by).is_some_and(|entry| {
                let mut requires = entry.requires.iter();
                requires.any(|each| each.name == name && each.requested == demand.requested)
            }),
            Who::Asker(_) => self
                .wishes
                .iter()
                .any(|wish| wish.name == name && wish.requested == demand.requested),
        }
    }

    /// What goes on being wanted when `roots` are asked for anew, and `found` are as they come
    /// with them.
    pub(super) fn demands(&self, roots: &BTreeSet<&str>, found: &BTreeSet<&str>) -> Demands {
        let mut demands = Demands::new();
        for wish in &self.wishes {
            if roots.contains(wish.name.as_str()) {
                continue;
            }
            let locked = self.lock.get(&wish.name);
            let locked = locked.filter(|entry| {
                !entry.dependency
                    && entry.source == wish.source
                    && entry.requested == wish.requested
            });
            let demand = Demand {
                who: Who::Asker(wish.asker),
                source: wish.source.clone(),
                requested: wish.requested.clone(),
                bytes: locked.map(|entry| entry.digest),
            };
            demands.entry(wish.name.clone()).or_default().insert(demand);
        }
        for entry in self.staying(found) {
            for required in &entry.requires {
                if let Some(demand) = self.demand(entry, required) {
                    let of_name = demands.entry(required.name.clone());
                    of_name.or_default().insert(demand);
                }
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
            who: Who::Skill(by.name.clone()),
            source: needed.source.clone(),
            requested: Some(requested),
            bytes: Some(needed.digest),
        })
    }

    /// The installed skills that stay as they are, and are wanted or held.
    fn staying(&self, found: &BTreeSet<&str>) -> Vec<&Locked> {
        // What is held is not always wanted, but it is there and goes on needing what it needs.
        let is_root = |entry: &&Locked| !entry.dependency || self.held.contains(&entry.name);
        let roots = self.lock.skills().iter().filter(is_root);
        let mut queue: Vec<&str> = roots.map(|entry| entry.name.as_str()).collect();
        let mut seen = BTreeSet::new();
        let mut staying = Vec::new();
        while let Some(name) = queue.pop() {
            if found.contains(name) || !seen.insert(name) {
                continue;
            }
            if let Some(entry) = self.lock.get(name) {
                queue.extend(entry.needs());
                staying.push(entry);
            }
        }
        staying
    }
}

//! What was seen of who needs whom, in whatever version.
//!
//! A skill is best chosen after all who may want it. Who that is shows only once they were fetched,
//! so what was seen on one way decides the order of the next.

use std::collections::{BTreeMap, BTreeSet};

use semver::Version;

use super::demand::fits;
use crate::lockfile::Lockfile;

/// Everything that was seen.
pub(super) struct SeenVersions {
    /// The names that skills need.
    needs: BTreeMap<String, BTreeSet<String>>,
    /// What was requested of skills, and by whom.
    requests: BTreeMap<String, BTreeSet<(String, Option<String>)>>,
}

impl SeenVersions {
    /// What installed skills need.
    pub(super) fn new(lock: &Lockfile) -> Self {
        let mut needs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for entry in lock
            .skills()
            .iter()
            .filter(|each| !each.requires.is_empty())
        {
            let of_name = needs.entry(entry.name.clone()).or_default();
            of_name.extend(entry.needs().map(str::to_owned));
        }
        Self {
            needs,
            requests: BTreeMap::new(),
        }
    }

    /// Writes down what a skill wants of another one. Whether nobody had seen that.
    pub(super) fn note(&mut self, by: &str, name: &str, requested: Option<&str>) -> bool {
        let of_name = self.needs.entry(by.to_owned()).or_default();
        of_name.insert(name.to_owned());
        let request = (by.to_owned(), requested.map(str::to_owned));
        let of_name = self.requests.entry(name.to_owned()).or_default();
        of_name.insert(request)
    }

    /// Whether somebody who is not there yet may rule out a version of a skill.
    pub(super) fn may_rule_out(
        &self,
        name: &str,
        version: &Version,
        is_there: impl Fn(&str) -> bool,
    ) -> bool {
        let mut requests = self.requests.get(name).into_iter().flatten();
        requests.any(|(by, requested)| {
            let requested = requested.as_deref();
            !is_there(by) && requested.is_some_and(|each| !fits(each, Some(&version.to_string())))
        })
    }

    /// Those who want a skill in some version.
    pub(super) fn wanting(&self, name: &str) -> impl Iterator<Item = &String> {
        let requests = self.requests.get(name).into_iter().flatten();
        requests.map(|(by, _)| by)
    }

    /// Those who need a skill in some version, or need who does.
    pub(super) fn reaching(&self, name: &str) -> BTreeSet<&str> {
        let mut reaching: BTreeSet<&str> = BTreeSet::new();
        let mut queue = vec![name];
        while let Some(name) = queue.pop() {
            for (by, needs) in &self.needs {
                if needs.contains(name) && reaching.insert(by) {
                    queue.push(by);
                }
            }
        }
        reaching
    }

    /// The places of all names in an order in which those come first who need others, as far as there
    /// is one.
    pub(super) fn order(&self) -> BTreeMap<String, usize> {
        let mut left = Vec::new();
        let mut met = BTreeSet::new();
        for start in self.needs.keys() {
            // What a name needs is left before it is.
            let mut path = vec![(start, self.of(start))];
            if !met.insert(start) {
                continue;
            }
            while let Some((name, rest)) = path.last_mut() {
                match rest.pop() {
                    Some(next) if met.insert(next) => path.push((next, self.of(next))),
                    Some(_) => {}
                    None => {
                        left.push(*name);
                        path.pop();
                    }
                }
            }
        }
        let places = left.into_iter().rev().zip(1..);
        places.map(|(name, place)| (name.clone(), place)).collect()
    }

    fn of(&self, name: &str) -> Vec<&String> {
        self.needs.get(name).into_iter().flatten().collect()
    }
}

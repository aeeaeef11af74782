//! One look at all that is needed, from what is asked for to what nothing else is needed for.

use std::collections::{BTreeMap, BTreeSet};

use super::demand::{Demand, Demands};
use super::error::DependencyError;
use super::{MOST, Needed};
use crate::candidate::Candidate;
use crate::lockfile::Required;

/// What was found.
#[derive(Debug)]
pub(super) struct Round<E> {
    /// The skills by name.
    pub(super) found: BTreeMap<String, Link>,
    /// What they want of each other.
    pub(super) demands: Demands,
    pub(super) failures: Vec<Failure<E>>,
}

/// A skill that was found, and how.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) needed: Needed,
    /// The skill that named it first.
    by: Option<String>,
}

/// Something that does not go together.
#[derive(Debug)]
pub(super) struct Failure<E> {
    pub(super) error: DependencyError<E>,
    /// The skills that it would not be wrong without.
    pub(super) culprits: Vec<String>,
    /// All that take part in it.
    pub(super) parties: Vec<String>,
}

impl<E> Round<E> {
    pub(super) fn new() -> Self {
        Self {
            found: BTreeMap::new(),
            demands: Demands::new(),
            failures: Vec::new(),
        }
    }

    /// The names of all that do not just stay as they are.
    pub(super) fn names(&self) -> BTreeSet<&str> {
        let anew = self.found.iter().filter(|(_, link)| !link.needed.stays);
        anew.map(|(name, _)| name.as_str()).collect()
    }

    /// Whether none of the skills needs another one, so that a second look would find the same.
    pub(super) fn needs_nothing(&self) -> bool {
        let mut found = self.found.values();
        found.all(|link| link.needed.candidate.requires.is_empty())
    }

    /// The skills, sorted by name.
    pub(super) fn needed(self) -> Vec<Needed> {
        self.found.into_values().map(|link| link.needed).collect()
    }

    pub(super) fn want(&mut self, name: &str, demand: Demand) {
        let demands = self.demands.entry(name.to_owned());
        demands.or_default().insert(demand);
    }

    pub(super) fn fail(&mut self, error: DependencyError<E>, culprits: Vec<String>) {
        self.failures.push(Failure {
            error,
            parties: culprits.clone(),
            culprits,
        });
    }

    /// Adds a skill that is asked for.
    pub(super) fn add_root(&mut self, candidate: Candidate) {
        let link = Link {
            needed: Needed {
                requires: Vec::new(),
                dependency: false,
                stays: false,
                held_back: None,
                candidate,
            },
            by: None,
        };
        self.found.insert(link.needed.candidate.name.clone(), link);
    }

    /// Adds a skill that another one needs.
    pub(super) fn add(&mut self, candidate: Candidate, by: &str) -> Result<(), DependencyError<E>> {
        self.put(candidate, Vec::new(), by, false)
    }

    /// Adds a skill that another one needs and that stays as it is installed, with what it needs.
    pub(super) fn keep(
        &mut self,
        candidate: Candidate,
        requires: &[Required],
        by: &str,
    ) -> Result<(), DependencyError<E>> {
        self.put(candidate, requires.to_vec(), by, true)
    }

    fn put(
        &mut self,
        candidate: Candidate,
        requires: Vec<Required>,
        by: &str,
        stays: bool,
    ) -> Result<(), DependencyError<E>> {
        let link = Link {
            needed: Needed {
                requires,
                dependency: true,
                stays,
                held_back: None,
                candidate,
            },
            by: Some(by.to_owned()),
        };
        self.found.insert(link.needed.candidate.name.clone(), link);
        if self.found.len() > MOST {
            return Err(DependencyError::TooMany(MOST));
        }
        Ok(())
    }

    /// Writes down that a skill needs another one.
    pub(super) fn requires(&mut self, name: &str, required: Required) {
        if let Some(link) = self.found.get_mut(name)
            && !link.needed.requires.contains(&required)
        {
            link.needed.requires.push(required);
        }
    }

    /// How a skill was come to, as `a → b`.
    pub(super) fn chain(&self, name: &str) -> String {
        let by = |name: &&str| self.found.get(*name)?.by.as_deref();
        let mut names: Vec<String> = std::iter::successors(Some(name), by)
            .take(MOST)
            .map(|name| format!("`{name}`"))
            .collect();
        names.reverse();
        names.join(" → ")
    }

    /// The skills that were asked for and are, or need, one of these.
    pub(super) fn roots_that_reach(&self, culprits: &[String]) -> BTreeSet<&str> {
        let mut reached: BTreeSet<&str> = culprits.iter().map(String::as_str).collect();
        let mut count = 0;
        while count != reached.len() {
            count = reached.len();
            for (name, link) in &self.found {
                let mut requires = link.needed.requires.iter();
                if requires.any(|each| reached.contains(each.name.as_str())) {
                    reached.insert(name);
                }
            }
        }
        let is_root = |name: &&str| {
            let link = self.found.get(*name);
            link.is_some_and(|link| !link.needed.dependency)
        };
        let names = self.found.keys().map(String::as_str).filter(is_root);
        names.filter(|name| reached.contains(name)).collect()
    }
}

//! Several editions of one skill, for a session in the middle of which it was updated.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use skillyard_format::Digest;

use super::{Shelf, ShelfSkill, offered};

/// A skill as it was at one time.
#[derive(Debug, Clone)]
pub struct Edition {
    /// What it consists of.
    pub digest: Digest,
    /// The skill.
    pub skill: ShelfSkill,
}

impl Shelf {
    /// The same shelf, with all editions of the skills of which there are several, by their names. The
    /// first of each is the one on the shelf.
    #[must_use]
    pub fn with_editions(self, editions: BTreeMap<String, Vec<Edition>>) -> Self {
        Self { editions, ..self }
    }

    /// Has the edition of a skill that consists of this, if there is one.
    pub(crate) fn turn(&mut self, name: &str, digest: &str) {
        let editions = self.editions.get(name).into_iter().flatten();
        let mut matching = editions.filter(|each| each.digest.to_string() == digest);
        if let Some(edition) = matching.next().cloned() {
            self.put(edition);
        }
    }

    /// Has the edition with this number of a skill, or of all of them. Whether there is one.
    pub(crate) fn turn_to(&mut self, number: usize, name: Option<&str>) -> bool {
        let wanted = self.editions.iter();
        let wanted = wanted.filter(|(each, _)| name.is_none_or(|name| *name == **each));
        let wanted = wanted.filter_map(|(_, editions)| editions.get(number));
        let wanted: Vec<Edition> = wanted.cloned().collect();
        let is_there = !wanted.is_empty();
        for edition in wanted {
            self.put(edition);
        }
        is_there
    }

    fn put(&mut self, edition: Edition) {
        let name = &edition.skill.skill.record.name;
        let mut skills = self.skills.iter_mut();
        let found = skills.find(|each| each.skill.record.name == *name);
        let found = found.filter(|each| each.folder != edition.skill.folder);
        if let Some(found) = found {
            *found = edition.skill;
            // Its description may be another.
            self.offered = offered(&self.skills);
            self.search_index = OnceLock::new();
        }
    }
}

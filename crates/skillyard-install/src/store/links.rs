//! What the links of projects lead to, as it was written down when they were made.
//!
//! A project that is not where it was may be deleted, moved, or on a disk that is not mounted, and
//! nobody can tell which. Its copies lack nothing without the store, but its links lead nowhere then.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use skillyard_format::Digest;

use super::collect::lock_file_of;
use super::{Store, StoreError, names};
use crate::lockfile::Lockfile;
use crate::scope::Scope;
use crate::text::text_if_there;

/// What links lead to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LinkedDigests {
    /// Those of projects that are where they were, whatever their locks say by now.
    pub here: BTreeSet<Digest>,
    /// Those of projects that are not.
    pub astray: BTreeSet<Digest>,
    /// All skills of projects that are not, also without links.
    pub elsewhere: BTreeSet<Digest>,
}

impl Store {
    /// What the links of all projects lead to, as the records in Skillyard's own folder say.
    pub fn links(&self, skillyard_home: &Path) -> Result<LinkedDigests, StoreError> {
        let here = self.records_here(skillyard_home)?;
        let folder = skillyard_home.join("placed");
        let records = names(&folder).map_err(|source| self.failed(source))?;
        let records = records.iter().map(|name| folder.join(name));
        let is_record = |path: &PathBuf| path.extension().is_some_and(|each| each == "toml");
        let mut links = LinkedDigests::default();
        for record in records.filter(is_record) {
            // What cannot be read says nothing.
            let text = text_if_there(&record).ok().flatten();
            let placed = text.and_then(|text| Lockfile::parse(&text, &record).ok());
            let placed = placed.unwrap_or_default();
            let linked = placed.skills().iter().filter(|entry| entry.linked);
            let linked = linked.map(|entry| entry.digest);
            if here.contains(&record) {
                links.here.extend(linked);
            } else {
                links.astray.extend(linked);
                let all = placed.skills().iter();
                links.elsewhere.extend(all.map(|entry| entry.digest));
            }
        }
        Ok(links)
    }

    /// The records of the projects that are where they were.
    fn records_here(&self, skillyard_home: &Path) -> Result<BTreeSet<PathBuf>, StoreError> {
        let roots = self.root.join("roots");
        let listed = names(&roots).map_err(|source| self.failed(source))?;
        let locks = listed
            .iter()
            .filter_map(|name| lock_file_of(&roots.join(name)).ok())
            .filter(|lock| lock.exists());
        let records = locks.filter_map(|lock| {
            let scope = Scope::project(lock.parent()?, skillyard_home);
            scope.placed_file()
        });
        Ok(records.collect())
    }
}

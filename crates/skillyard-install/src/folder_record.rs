//! The records of folders of the user's agents: what was put there, wherever variables put the agents'
//! folders now.
//!
//! A record is found by its folder. That nothing is lost once no variable names the folder any more, it
//! also says which one it is of.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::lockfile::{Locked, Lockfile};
use crate::scope::{Scope, ScopeKind};
use crate::text::text_if_there;

/// How the line begins that says which folder a record is of; older records have none.
const FOLDER: &str = "# folder: ";

/// A folder that a variable named once, and what was put there.
#[derive(Debug, Clone)]
pub struct LeftFolder {
    /// The folder of skills.
    pub folder: PathBuf,
    /// What was put there and is there still.
    pub record: Lockfile,
}

impl LeftFolder {
    /// The scope of the user as it is while the variable names this folder.
    pub fn scope(&self, user: &Scope) -> Scope {
        let entries = self.record.skills().iter();
        let targets = entries.flat_map(|entry| &entry.targets);
        targets.fold(user.clone(), |scope, target| {
            scope.with_moved(target, &self.folder)
        })
    }
}

impl Scope {
    /// The scope of what was put into one folder of the user's agents, as its record says.
    pub fn folder(folder: &Path, record: &Lockfile, skillyard_home: &Path) -> Self {
        let targets = record.skills().iter().flat_map(|entry| &entry.targets);
        let targets: BTreeSet<&String> = targets.collect();
        let moved = |target: &String| (target.clone(), folder.to_owned());
        Self {
            kind: ScopeKind::User,
            root: folder.to_owned(),
            skillyard_home: skillyard_home.to_owned(),
            moved: targets.into_iter().map(moved).collect(),
        }
    }

    /// What was put into the folders that are the user's agents' now, folder by folder, and is there.
    pub(crate) fn recorded(&self) -> Vec<Locked> {
        let here = self.records().into_iter().flat_map(|(file, _, record)| {
            let is_here = |entry: &&Locked| self.is_record_of(&file, entry);
            let entries = record.skills().iter().filter(is_here);
            entries.cloned().collect::<Vec<_>>()
        });
        let is_there = |entry: &Locked| {
            let mut targets = entry.targets.iter();
            targets.any(|target| is_there(&self.target(target), &entry.name))
        };
        here.filter(is_there).collect()
    }

    /// The folders of the user's agents that no variable names any more, with what is left there.
    pub fn left_folders(&self) -> Vec<LeftFolder> {
        let left = self
            .records()
            .into_iter()
            .filter_map(|(file, folder, record)| {
                let folder = folder?;
                let mut kept = Lockfile::default();
                for entry in record.skills() {
                    if self.is_record_of(&file, entry) {
                        return None;
                    }
                    if is_there(&folder, &entry.name) {
                        kept.put(entry.clone());
                    }
                }
                (!kept.skills().is_empty()).then_some(LeftFolder {
                    folder,
                    record: kept,
                })
            });
        left.collect()
    }

    /// All records, each with the folder that it says it is of. What cannot be read says nothing.
    fn records(&self) -> Vec<(PathBuf, Option<PathBuf>, Lockfile)> {
        if self.kind != ScopeKind::User {
            return Vec::new();
        }
        let mut names: Vec<_> = Self::folder_records(&self.skillyard_home)
            .into_iter()
            .collect();
        names.sort_unstable();
        let read = names.into_iter().filter_map(|name| {
            let file = self.skillyard_home.join("placed").join(name);
            let text = text_if_there(&file).ok()??;
            let record = Lockfile::parse(&text, &file).ok()?;
            Some((file, folder_of(&text), record))
        });
        read.collect()
    }

    /// Whether a record is of a folder that an entry of it means now.
    fn is_record_of(&self, file: &Path, entry: &Locked) -> bool {
        let mut targets = entry.targets.iter();
        targets.any(|target| {
            let record = Self::folder_record(&self.skillyard_home, &self.target(target));
            record == file
        })
    }
}

/// A record as it is written.
pub(crate) fn text(folder: &Path, record: &Lockfile) -> String {
    let folder = folder
        .to_str()
        .and_then(|folder| serde_json::to_string(folder).ok());
    let line = folder.map_or_else(String::new, |folder| format!("{FOLDER}{folder}\n"));
    format!("{line}{}", record.to_text())
}

/// Which folder a record says it is of.
pub(crate) fn folder_of(text: &str) -> Option<PathBuf> {
    let line = text.lines().next()?.strip_prefix(FOLDER)?;
    let folder: String = serde_json::from_str(line).ok()?;
    Some(folder.into())
}

/// Whether something lies in a folder under a name.
pub(crate) fn is_there(folder: &Path, name: &str) -> bool {
    folder.join(name).symlink_metadata().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_says_which_folder_it_is_of() {
        for folder in ["/home/ada/.cc/skills", "/with \"quotes\"\nand lines/skills"] {
            let written = text(Path::new(folder), &Lockfile::default());
            assert_eq!(folder_of(&written).as_deref(), Some(Path::new(folder)));
            assert!(Lockfile::parse(&written, Path::new("x")).is_ok());
        }
        assert_eq!(folder_of(&Lockfile::default().to_text()), None);
    }
}

//! What is at the places of skills now, and what was there when a change was planned.
//!
//! A user may write to a place between the plan and the change, or after a process was killed. Therefore
//! what comes out of a place is deleted only if it is an [`ObservedEntry`] of the plan.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use skillyard_catalog::path_probe::{dangling_link, inaccessible, link_loop, resolved};

use crate::any_path::AnyPath;
use crate::tree::{Fingerprint, Tree, TreeError, TreeLimits};
use crate::write::in_the_way;
use skillyard_format::Digest;

/// What lies where a skill is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExistingEntry {
    /// Nothing.
    Nothing,
    /// A folder of plain files.
    Folder {
        /// Over all of them.
        digest: Digest,
        /// Over those that programs did not leave there.
        tidy: Digest,
    },
    /// A folder with a git repository in it, whose history is nowhere else.
    Repository,
    /// A link.
    Link(PathBuf),
    /// Something that cannot be a skill, and why.
    Other(String),
    /// Nothing, because a file is where the folder of skills, or one around it, would be.
    Blocked(BlockingFile),
    /// Nobody knows: this link on the way leads to nothing, as to a disk that is not mounted now.
    Dangling(PathBuf),
    /// Nothing, because this link on the way leads back to itself.
    Looping(PathBuf),
    /// Nobody knows: the user may not look into this folder on the way.
    Closed(PathBuf),
}

/// A file where a folder is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockingFile {
    /// The file, relative to the scope's root.
    pub file: PathBuf,
    /// Where it would lead if it were a link, which some checkouts write as text.
    pub link: Option<String>,
}

/// What was in a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ObservedEntry {
    /// Nothing.
    Nothing,
    /// A folder of plain files.
    Folder {
        /// Over those that programs did not leave there.
        tidy: Digest,
        /// As long as this is the same, nothing has to be read; nothing where that says too little.
        stamp: Option<Fingerprint>,
    },
    /// A link.
    Link(AnyPath),
    /// Something else, which somebody gave up as it was.
    Other(Fingerprint),
}

impl ObservedEntry {
    /// What an occupant is to be known by.
    pub(crate) fn of(occupant: &ExistingEntry, stamp: Option<Fingerprint>, place: &Path) -> Self {
        match occupant {
            ExistingEntry::Nothing => Self::Nothing,
            ExistingEntry::Folder { tidy, .. } => Self::Folder { tidy: *tidy, stamp },
            ExistingEntry::Link(to) => Self::Link(to.clone().into()),
            // Nobody read it, so that this is early enough.
            ExistingEntry::Repository
            | ExistingEntry::Other(_)
            | ExistingEntry::Blocked(_)
            | ExistingEntry::Dangling(_)
            | ExistingEntry::Looping(_)
            | ExistingEntry::Closed(_) => Self::Other(Fingerprint::of(place)),
        }
    }

    /// Whether it is what lies there.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        match self {
            Self::Nothing => path.symlink_metadata().is_err(),
            Self::Folder { tidy, stamp } => {
                let is_untouched = stamp.is_some_and(|stamp| Fingerprint::of(path) == stamp);
                // Whoever wrote the same bytes again loses nothing.
                is_untouched
                    || matches!(look(path), ExistingEntry::Folder { tidy: found, .. } if found == *tidy)
            }
            Self::Link(to) => std::fs::read_link(path).is_ok_and(|found| found == **to),
            Self::Other(stamp) => Fingerprint::of(path) == *stamp,
        }
    }
}

/// The folders of a scope, each listed once: most places that are asked about are empty.
#[derive(Debug, Default)]
pub(crate) struct TargetListings {
    /// The names in a folder, in small letters; nothing where a look at the list is not enough.
    names: RefCell<BTreeMap<PathBuf, Option<BTreeSet<String>>>>,
    /// What was in the places that were looked at and not empty, when they last were.
    found: RefCell<BTreeMap<PathBuf, (ExistingEntry, Option<Fingerprint>)>>,
}

impl TargetListings {
    /// Looks at one place.
    pub(crate) fn look(&self, folder: PathBuf, name: &str) -> ExistingEntry {
        let place = folder.join(name);
        let mut names = self.names.borrow_mut();
        let names = names
            .entry(folder)
            .or_insert_with_key(|path| names_in(path));
        match names {
            Some(names) if !names.contains(&name.to_ascii_lowercase()) => ExistingEntry::Nothing,
            _ => {
                let (occupant, stamp) = look_stamped(&place);
                let mut found = self.found.borrow_mut();
                match occupant {
                    ExistingEntry::Nothing => found.remove(&place),
                    _ => found.insert(place, (occupant.clone(), stamp)),
                };
                occupant
            }
        }
    }

    /// What was in a place when it was last looked at.
    pub(crate) fn seen(&self, place: &Path) -> ObservedEntry {
        match self.found.borrow().get(place) {
            Some((occupant, stamp)) => ObservedEntry::of(occupant, *stamp, place),
            None => ObservedEntry::Nothing,
        }
    }
}

/// The names in a folder in small letters, because some systems take large ones for the same; which
/// other letters they take for the same is theirs to say.
fn names_in(folder: &Path) -> Option<BTreeSet<String>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return dangling_link(folder).is_none().then(BTreeSet::new);
        }
        other => other.ok()?,
    };
    let small = |entry: io::Result<std::fs::DirEntry>| {
        let name = entry.ok()?.file_name().into_string().ok()?;
        name.is_ascii().then(|| name.to_ascii_lowercase())
    };
    entries.map(small).collect()
}

/// Looks at one place.
pub(crate) fn look(path: &Path) -> ExistingEntry {
    look_stamped(path).0
}

/// The same, with what tells whether a folder of plain files was touched since, where anything does.
fn look_stamped(path: &Path) -> (ExistingEntry, Option<Fingerprint>) {
    let metadata = match std::fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let occupant = match dangling_link(path) {
                Some((link, _)) => ExistingEntry::Dangling(link),
                None => ExistingEntry::Nothing,
            };
            return (occupant, None);
        }
        Err(error) => {
            let occupant = None
                .or_else(|| blocking(path).map(ExistingEntry::Blocked))
                .or_else(|| link_loop(path).map(ExistingEntry::Looping))
                .or_else(|| inaccessible(path).map(ExistingEntry::Closed));
            let occupant = occupant.unwrap_or_else(|| ExistingEntry::Other(error.to_string()));
            return (occupant, None);
        }
    };
    if metadata.is_symlink() {
        let occupant = match std::fs::read_link(path) {
            Ok(path) => ExistingEntry::Link(path),
            Err(error) => ExistingEntry::Other(error.to_string()),
        };
        return (occupant, None);
    }
    if !metadata.is_dir() {
        return (ExistingEntry::Other("it is a file".into()), None);
    }
    match Tree::read_stamped(path, &TreeLimits::HERE) {
        Ok((tree, _)) if has_repository(path, &tree) => (ExistingEntry::Repository, None),
        Ok((tree, stamp)) => {
            let occupant = ExistingEntry::Folder {
                digest: tree.digest(),
                tidy: tree.tidied_in(path).digest(),
            };
            (occupant, stamp)
        }
        Err(error) => (unread(&error), None),
    }
}

/// What cannot be read, and what the system has against it.
fn unread(error: &TreeError) -> ExistingEntry {
    ExistingEntry::Other(match error {
        TreeError::Read { source, .. } => format!("{error}: {source}"),
        other => other.to_string(),
    })
}

/// The file that is where a folder on the way to a place should be.
fn blocking(place: &Path) -> Option<BlockingFile> {
    let behind = resolved(place);
    let find = |place| Some(in_the_way(place)).filter(|file| *file != place);
    // A link on the way may lead to what a file is in the way of.
    let file = find(place).or_else(|| find(&behind))?;
    // What git writes where it may not make links: one line without an end.
    let text = crate::text::text_if_there(file).ok().flatten();
    let is_link = |text: &String| {
        text.len() < 1024 && text.contains('/') && !text.contains(char::is_whitespace)
    };
    Some(BlockingFile {
        file: file.to_owned(),
        link: text.filter(is_link),
    })
}

/// Whether somebody keeps the history of something there; no skill is installed with it.
fn has_repository(path: &Path, tree: &Tree) -> bool {
    let files = tree.files().iter();
    let folders = files.filter_map(|file| Some(file.path.rsplit_once('/')?.0));
    let folders: BTreeSet<&str> = folders.collect();
    let all = folders.into_iter().map(|folder| path.join(folder));
    let mut all = std::iter::once(path.to_owned()).chain(all);
    all.any(|folder| folder.join(".git").symlink_metadata().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_empty_if_its_folder_does_not_list_it() {
        let scope = tempfile::tempdir().unwrap();
        let folder = scope.path().join("skills");
        let is_empty = |name: &str| {
            matches!(
                TargetListings::default().look(folder.clone(), name),
                ExistingEntry::Nothing
            )
        };
        assert!(is_empty("pdf"), "there is no folder");
        std::fs::create_dir_all(folder.join("pdf")).unwrap();
        assert!(!is_empty("pdf"));
        assert!(is_empty("pd") && is_empty("pdf2"));
        // Here it is another name; where it is the same one, only a look at it can tell.
        assert!(is_empty("PDF"));
        // With such a name the list says nothing.
        std::fs::create_dir(folder.join("\u{17f}kill")).unwrap();
        assert!(names_in(&folder).is_none());
        assert!(!is_empty("pdf") && is_empty("skill"));
        std::os::unix::fs::symlink("nowhere", folder.join("link")).unwrap();
        assert!(!is_empty("link"));
    }

    #[test]
    fn behind_a_link_to_nothing_nobody_knows_what_is_there() {
        let scope = tempfile::tempdir().unwrap();
        let link = scope.path().join(".claude");
        std::os::unix::fs::symlink("unmounted", &link).unwrap();
        for folder in [link.join("skills"), link.clone()] {
            let found = TargetListings::default().look(folder, "pdf");
            assert_eq!(found, ExistingEntry::Dangling(link.clone()));
        }
    }

    #[test]
    fn a_file_in_the_place_of_a_folder_is_named() {
        let scope = tempfile::tempdir().unwrap();
        let file = scope.path().join("skills");
        for (text, link) in [("", None), ("../.agents/skills", Some("../.agents/skills"))] {
            std::fs::write(&file, text).unwrap();
            let found = TargetListings::default().look(file.clone(), "pdf");
            let blocking = BlockingFile {
                file: file.clone(),
                link: link.map(str::to_owned),
            };
            assert_eq!(found, ExistingEntry::Blocked(blocking));
        }
    }

    #[test]
    fn a_file_behind_a_link_is_named() {
        let scope = tempfile::tempdir().unwrap();
        let root = scope.path().canonicalize().unwrap();
        std::fs::create_dir(root.join(".agents")).unwrap();
        std::fs::write(root.join(".claude"), "a file").unwrap();
        let link = root.join(".agents/skills");
        std::os::unix::fs::symlink("../.claude/skills", &link).unwrap();
        let blocking = BlockingFile {
            file: root.join(".claude"),
            link: None,
        };
        let found = TargetListings::default().look(link, "pdf");
        assert_eq!(found, ExistingEntry::Blocked(blocking));
    }
}

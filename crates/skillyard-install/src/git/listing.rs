//! The files of a commit, and where the skills are among them.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use skillyard_catalog::walk::NO_TEXT;

use super::error::GitError;
use crate::material::Declined;
use crate::source_path::{around, is_below, is_passed_over};

/// What an entry of a tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TreeEntryKind {
    /// A file.
    File,
    /// A file that its owner may execute.
    Executable,
    /// A symbolic link.
    Link,
    /// Another repository.
    Submodule,
    /// Something whose name is no text; its path here only looks like it.
    Unreadable,
}

impl TreeEntryKind {
    /// Whether it is a regular file.
    pub(super) fn is_file(self) -> bool {
        matches!(self, Self::File | Self::Executable)
    }
}

/// A file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeEntry {
    pub(super) path: String,
    pub(super) kind: TreeEntryKind,
    pub(super) object: String,
}

/// Most files of a commit, as many as an archive of a repository may have.
const MAX_FILES: usize = 200_000;

/// Reads what `git ls-tree -r -z` printed.
pub(super) fn parse(listing: &[u8]) -> Result<Vec<TreeEntry>, GitError> {
    let wrong = || GitError::Answer("the files of a commit");
    let mut entries = Vec::new();
    for line in listing
        .split(|byte| *byte == 0)
        .filter(|line| !line.is_empty())
    {
        let tab = line
            .iter()
            .position(|byte| *byte == b'\t')
            .ok_or_else(wrong)?;
        let head = std::str::from_utf8(&line[..tab]).map_err(|_| wrong())?;
        let mut words = head.split(' ');
        let mode = words.next().ok_or_else(wrong)?;
        let object = words.nth(1).ok_or_else(wrong)?;
        let kind = match mode {
            "100644" | "100664" => TreeEntryKind::File,
            "100755" => TreeEntryKind::Executable,
            "120000" => TreeEntryKind::Link,
            "160000" => TreeEntryKind::Submodule,
            _ => return Err(wrong()),
        };
        if entries.len() == MAX_FILES {
            return Err(GitError::TooMany(MAX_FILES));
        }
        let path = String::from_utf8_lossy(&line[tab + 1..]);
        let kind = match &path {
            Cow::Borrowed(_) => kind,
            Cow::Owned(_) => TreeEntryKind::Unreadable,
        };
        entries.push(TreeEntry {
            path: path.into_owned(),
            kind,
            object: object.to_owned(),
        });
    }
    Ok(entries)
}

/// The folders that have a `SKILL.md`, with that file; what is nested in a skill belongs to it.
pub(super) fn skill_folders<'a>(
    entries: &'a [TreeEntry],
    below: &str,
) -> BTreeMap<&'a str, &'a TreeEntry> {
    let mut folders: BTreeMap<&str, &TreeEntry> = BTreeMap::new();
    for entry in entries {
        let (folder, file) = entry.path.rsplit_once('/').unwrap_or(("", &entry.path));
        if !entry.kind.is_file() || !is_below(folder, below) {
            continue;
        }
        if is_passed_over(folder) {
            continue;
        }
        match file {
            "SKILL.md" => {
                folders.insert(folder, entry);
            }
            "skill.md" => {
                folders.entry(folder).or_insert(entry);
            }
            _ => {}
        }
    }
    let all: HashSet<&str> = folders.keys().copied().collect();
    // A stranger decides how many there are, so each is compared with those around it only.
    folders.retain(|folder, _| !around(folder).any(|outer| all.contains(outer)));
    folders
}

/// The folders that would be skills if their names were text.
pub(super) fn unreadable(entries: &[TreeEntry], below: &str) -> Vec<Declined> {
    let unreadable = entries
        .iter()
        .filter(|entry| entry.kind == TreeEntryKind::Unreadable);
    let skills = unreadable.filter_map(|entry| {
        let (folder, file) = entry.path.rsplit_once('/')?;
        let is_skill = matches!(file, "SKILL.md" | "skill.md");
        (is_skill && is_below(folder, below)).then(|| Declined {
            path: folder.to_owned(),
            reason: NO_TEXT.to_owned(),
        })
    });
    skills.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(paths: &[&str], below: &str) -> Vec<String> {
        let listing: Vec<String> = paths
            .iter()
            .map(|path| format!("100644 blob {}\t{path}", "a".repeat(40)))
            .collect();
        let entries = parse(listing.join("\0").as_bytes()).unwrap();
        skill_folders(&entries, below)
            .keys()
            .map(|folder| (*folder).to_owned())
            .collect()
    }

    #[test]
    fn skills_are_found_and_nested_ones_are_part_of_them() {
        let paths = [
            "README.md",
            "skills/a/SKILL.md",
            "skills/a/examples/b/SKILL.md",
            "skills/a-b/skill.md",
            "node_modules/x/SKILL.md",
            "other/c/SKILL.md",
        ];
        assert_eq!(folders(&paths, ""), ["other/c", "skills/a", "skills/a-b"]);
        assert_eq!(folders(&paths, "skills"), ["skills/a", "skills/a-b"]);
        assert_eq!(folders(&paths, "skills/a"), ["skills/a"]);
        assert_eq!(folders(&["SKILL.md", "x/SKILL.md"], ""), [""]);
    }

    #[test]
    fn names_that_are_no_text_are_kept_as_such() {
        let line = [
            b"100644 blob aa\ta/\xff.md".as_slice(),
            b"100644 blob aa\tb",
        ];
        let entries = parse(&line.join(&0)).unwrap();
        let kinds: Vec<TreeEntryKind> = entries.iter().map(|entry| entry.kind).collect();
        assert_eq!(kinds, [TreeEntryKind::Unreadable, TreeEntryKind::File]);
        assert_eq!(entries[0].path, "a/\u{fffd}.md");
    }

    #[test]
    fn nobody_can_mean_that_many_files() {
        let line = "100644 blob aa\tx\0";
        assert!(parse(line.repeat(MAX_FILES).as_bytes()).is_ok());
        let found = parse(line.repeat(MAX_FILES + 1).as_bytes());
        assert!(matches!(found, Err(GitError::TooMany(MAX_FILES))));
    }

    #[test]
    fn answers_that_make_no_sense_are_errors() {
        for listing in ["x", "100644 blob", "999999 blob aa\tx"] {
            assert!(parse(listing.as_bytes()).is_err(), "{listing}");
        }
    }
}

//! Submodules: folders of a repository whose files are in another one, which is not fetched.

use std::collections::HashSet;

use super::listing::{TreeEntry, TreeEntryKind};
use crate::material::Declined;
use crate::source_path::{around, is_below, is_passed_over};

/// The submodule that a folder is, or lies in.
pub(super) fn around_folder<'a>(entries: &'a [TreeEntry], folder: &str) -> Option<&'a TreeEntry> {
    let is_it = |entry: &&TreeEntry| {
        entry.kind == TreeEntryKind::Submodule && is_below(folder, &entry.path)
    };
    entries.iter().find(is_it)
}

/// The submodules that could be skills: those beside a skill. Elsewhere they are mostly libraries; of
/// a repository without skills all are told.
pub(super) fn declined(
    entries: &[TreeEntry],
    below: &str,
    skills: &HashSet<&str>,
) -> Vec<Declined> {
    let beside: HashSet<&str> = skills.iter().map(|folder| parent(folder)).collect();
    let submodules = entries.iter().filter(|each| {
        each.kind == TreeEntryKind::Submodule
            && is_below(&each.path, below)
            && !is_passed_over(&each.path)
            && !around(&each.path).any(|outer| skills.contains(outer))
            && (skills.is_empty() || beside.contains(parent(&each.path)))
    });
    submodules
        .map(|each| Declined {
            path: each.path.clone(),
            reason: "it is a submodule, whose files are in another repository; `.gitmodules` says in which"
                .to_owned(),
        })
        .collect()
}

fn parent(folder: &str) -> &str {
    folder.rsplit_once('/').map_or("", |(parent, _)| parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(skills: &[&str], below: &str) -> Vec<String> {
        let entry = |path: &str| TreeEntry {
            path: path.into(),
            kind: TreeEntryKind::Submodule,
            object: String::new(),
        };
        let paths = ["lib/parser", "skills/pdf/vendor", "skills/xlsx"];
        let entries = paths.map(entry);
        let skills = skills.iter().copied().collect();
        let declined = declined(&entries, below, &skills);
        declined.into_iter().map(|each| each.path).collect()
    }

    #[test]
    fn those_beside_skills_are_told() {
        assert_eq!(told(&["skills/pdf"], ""), ["skills/xlsx"]);
        assert_eq!(told(&["pdf"], ""), [""; 0]);
        assert_eq!(told(&[], "skills"), ["skills/pdf/vendor", "skills/xlsx"]);
    }
}

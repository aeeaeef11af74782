//! Links on the way to a folder of a repository. None is followed: what it leads to can be named itself.

use super::listing::{TreeEntry, TreeEntryKind};
use crate::source_path::is_below;

/// As many links as are followed to find out what was meant.
pub(super) const MAX_LINKS: usize = 8;

/// The link that a folder lies behind, or is.
pub(super) fn on_the_way<'a>(entries: &'a [TreeEntry], folder: &str) -> Option<&'a TreeEntry> {
    let is_on_it =
        |entry: &&TreeEntry| entry.kind == TreeEntryKind::Link && is_below(folder, &entry.path);
    entries.iter().find(is_on_it)
}

/// Whether the repository has a folder.
pub(super) fn has(entries: &[TreeEntry], folder: &str) -> bool {
    entries.iter().any(|entry| is_below(&entry.path, folder))
}

/// The folder behind a link that leads `to` somewhere, if that is in the repository.
pub(super) fn behind(link: &str, to: &str, folder: &str) -> Option<String> {
    if to.starts_with('/') {
        return None;
    }
    let start = link.rsplit_once('/').map_or("", |(start, _)| start);
    let rest = folder.strip_prefix(link).unwrap_or_default();
    let mut parts: Vec<&str> = Vec::new();
    for part in [start, to, rest].iter().flat_map(|part| part.split('/')) {
        match part {
            "" | "." => (),
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    let real = parts.join("/");
    (!real.is_empty()).then_some(real)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_folders_of_the_repository_alone() {
        let entry = |path: &str, kind| TreeEntry {
            path: path.into(),
            kind,
            object: String::new(),
        };
        let entries = [
            entry("real/pdf/SKILL.md", TreeEntryKind::File),
            entry("skills", TreeEntryKind::Link),
            entry("a/pdf", TreeEntryKind::Link),
        ];
        let link = |folder: &str| on_the_way(&entries, folder).map(|entry| &*entry.path);
        assert_eq!(link("skills/pdf"), Some("skills"));
        assert_eq!(link("a/pdf"), Some("a/pdf"));
        assert_eq!(link("a/pdfs"), None);
        assert_eq!(link("real/pdf"), None);
        for (link, to, folder, found) in [
            ("skills", "real", "skills/pdf", Some("real/pdf")),
            ("skills", "./real/", "skills", Some("real")),
            ("a/pdf", "../real/pdf", "a/pdf", Some("real/pdf")),
            ("a/pdf", "../../real/pdf", "a/pdf", None),
            ("a/pdf", "/real/pdf", "a/pdf", None),
            ("a/pdf", "../gone", "a/pdf", Some("gone")),
            ("a/pdf", "..", "a/pdf", None),
        ] {
            let behind = behind(link, to, folder);
            assert_eq!(behind.as_deref(), found, "{link} {to}");
        }
        assert!(has(&entries, "real/pdf") && !has(&entries, "gone"));
    }
}

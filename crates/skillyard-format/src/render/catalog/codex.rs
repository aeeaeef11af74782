//! A list whose folders are named once and then by alias, as Codex writes it.

use std::fmt::Write as _;

use super::CatalogEntry;
use crate::render::escape::line;

pub(super) fn render(entries: &[CatalogEntry]) -> String {
    let mut roots: Vec<&str> = Vec::new();
    for (root, _) in entries.iter().filter_map(located) {
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    let mut text = String::from("## Skills\n");
    if !roots.is_empty() {
        text.push_str("### Skill roots\n");
        for (number, root) in roots.iter().enumerate() {
            let _ = writeln!(text, "- `r{number}` = `{}`", line(root).replace('`', "'"));
        }
    }
    text.push_str("### Available skills");
    for entry in entries {
        let _ = write!(
            text,
            "\n- {}: {}",
            line(&entry.name),
            line(&entry.description)
        );
        if let Some((root, rest)) = located(entry) {
            let number = roots
                .iter()
                .position(|each| *each == root)
                .unwrap_or_default();
            let _ = write!(text, " (file: r{number}/{})", line(rest));
        } else if let Some(location) = &entry.location {
            // A path such as `skills/pdf` has no folder worth an alias.
            let _ = write!(text, " (file: {})", line(location));
        }
    }
    text
}

/// The folder that holds the skill's folder, and the path below it.
fn located(entry: &CatalogEntry) -> Option<(&str, &str)> {
    let location = entry.location.as_deref()?;
    let (folder, _) = location.rsplit_once('/')?;
    let (root, _) = folder.rsplit_once('/')?;
    Some((root, &location[root.len() + 1..]))
}

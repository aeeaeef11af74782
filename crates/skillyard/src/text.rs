//! Text for people: numbers, lists, times and paths in words.

pub(crate) mod json;
pub(crate) mod sanitize;
pub(crate) mod shell;

use std::path::Path;
use std::time::Duration;

pub(crate) use skillyard_format::text::counted;

/// Most paths in a list.
const MAX_PATHS: usize = 5;
/// Most names in a list.
const MAX_NAMES: usize = 5;

/// Names of skills, the first of many.
pub(crate) fn listed(names: &[&str]) -> String {
    let shown: Vec<String> = names
        .iter()
        .take(MAX_NAMES)
        .map(|name| format!("`{name}`"))
        .collect();
    match names.len().saturating_sub(MAX_NAMES) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// How long something took.
pub(crate) fn elapsed(time: Duration) -> String {
    match time.as_millis() {
        0 => "under 1ms".to_owned(),
        millis @ 1..=999 => format!("{millis}ms"),
        millis => format!("{}.{}s", millis / 1000, millis % 1000 / 100),
    }
}

/// A path as the user writes it, with `~` for the home directory.
pub(crate) fn tilde(path: &Path, home: Option<&Path>) -> String {
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", on_one_line(rest)),
        None => on_one_line(path),
    }
}

/// A path whose line breaks cannot be taken for another line of a list.
fn on_one_line(path: &Path) -> String {
    path.to_string_lossy()
        .replace('\n', "\\n")
        .replace('\r', "\\r")
}

/// The first of some paths, and how many more there are.
pub(crate) fn first_paths(paths: &[String]) -> String {
    let named: Vec<String> = paths
        .iter()
        .take(MAX_PATHS)
        .map(|path| format!("`{path}`"))
        .collect();
    let more = match paths.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", named.join(", "))
}

//! What an update changes in a skill, as a diff of its text files.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use similar::{ChangeTag, TextDiff};
use skillyard_install::tree::{Tree, TreeFile};

use crate::sanitize::visible;

/// Most changed lines that are shown for one file.
const MOST_LINES: usize = 200;
const GONE: Style = AnsiColor::Red.on_default();
const NEW: Style = AnsiColor::Green.on_default();
const PLACE: Style = AnsiColor::Cyan.on_default();

/// The files that differ, the instructions first, then scripts, then the rest.
pub(crate) fn between(before: &Tree, after: &Tree) -> String {
    let mut paths: Vec<&str> = before
        .files()
        .iter()
        .chain(after.files())
        .map(|file| file.path.as_str())
        .collect();
    paths.sort_unstable_by_key(|path| (rank(path), *path));
    paths.dedup();
    let mut text = String::new();
    for path in paths {
        file(path, before.get(path), after.get(path), &mut text);
    }
    text
}

fn rank(path: &str) -> u8 {
    match path {
        "SKILL.md" | "skill.md" => 0,
        path if path.starts_with("scripts/") => 1,
        _ => 2,
    }
}

fn file(path: &str, before: Option<&TreeFile>, after: Option<&TreeFile>, text: &mut String) {
    if before == after {
        return;
    }
    let path = visible(path);
    let what = match (before, after) {
        (None, _) => " (new)",
        (_, None) => " (removed)",
        (Some(before), Some(after)) if before.executable != after.executable => {
            if after.executable {
                " (now executable)"
            } else {
                " (not executable any more)"
            }
        }
        _ => "",
    };
    let _ = writeln!(text, "   {path}{what}");
    let bytes = |file: Option<&TreeFile>| file.map_or(Vec::new(), |file| file.bytes.clone());
    let (before, after) = (bytes(before), bytes(after));
    match (std::str::from_utf8(&before), std::str::from_utf8(&after)) {
        (Ok(before), Ok(after)) => lines(before, after, text),
        _ => {
            let _ = writeln!(
                text,
                "     {} bytes → {} bytes, not text",
                before.len(),
                after.len()
            );
        }
    }
}

fn lines(before: &str, after: &str, text: &mut String) {
    let diff = TextDiff::from_lines(before, after);
    let mut shown = 0;
    let mut hidden = 0;
    for hunk in diff.unified_diff().context_radius(2).iter_hunks() {
        if shown < MOST_LINES {
            let _ = writeln!(
                text,
                "     {PLACE}{}{PLACE:#}",
                hunk.header().to_string().trim_end()
            );
        }
        for change in hunk.iter_changes() {
            if shown >= MOST_LINES {
                hidden += usize::from(change.tag() != ChangeTag::Equal);
                continue;
            }
            shown += 1;
            let (mark, style) = match change.tag() {
                ChangeTag::Delete => ('-', GONE),
                ChangeTag::Insert => ('+', NEW),
                ChangeTag::Equal => (' ', Style::new()),
            };
            let line = change.value().trim_end_matches(['\n', '\r']);
            let _ = writeln!(text, "     {style}{mark}{}{style:#}", visible(line));
        }
    }
    if hidden > 0 {
        let _ = writeln!(text, "     … and {hidden} more changed lines");
    }
}

//! What an update changes in a skill, as a diff of its text files.

use std::fmt::Write as _;

use skillyard_format::difference::{DiffLimits, Difference, rank, readable};
use skillyard_install::tree::{Tree, TreeFile};
use skillyard_trust::signature::SIGNATURE_FILE;

use crate::terminal::painted;
use crate::text::sanitize::visible;

/// Most changed lines that are shown for one file.
const MAX_LINES: usize = 200;

/// The files that differ, the instructions first, then scripts, then the rest.
pub(crate) fn between(before: &Tree, after: &Tree, width: usize) -> String {
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
        let texts = (before.get(path), after.get(path));
        file(path, texts, width, &mut text);
    }
    text
}

fn file(
    path: &str,
    (before, after): (Option<&TreeFile>, Option<&TreeFile>),
    width: usize,
    text: &mut String,
) {
    // What a signature is made of tells nobody anything; that there is one now, or none, does.
    let is_signature = path == SIGNATURE_FILE;
    if before == after || is_signature && before.is_some() && after.is_some() {
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
    if is_signature {
        return;
    }
    let texts = [before, after].map(|file| match file {
        Some(file) => readable(&file.path, file.executable, &file.bytes),
        None => Some("".into()),
    });
    if let [Some(before), Some(after)] = texts {
        let difference = Difference::between(&before, &after, DiffLimits::telling(MAX_LINES));
        text.push_str(&painted(&difference, "     ", width));
    } else {
        let bytes = |file: Option<&TreeFile>| file.map_or(0, |file| file.bytes.len());
        let (before, after) = (bytes(before), bytes(after));
        let _ = writeln!(text, "     {before} bytes → {after} bytes, not text");
    }
}

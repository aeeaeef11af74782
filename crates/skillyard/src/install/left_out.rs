//! Files that lie with a skill where it comes from, and that are none of its.

use std::path::Path;

use skillyard_format::Document;
use skillyard_install::candidate::Candidate;
use skillyard_install::tree::Tree;

use super::check::Checked;
use crate::context::Context;
use crate::install::ignored_links::{adding, ignored_links};
use crate::text::sanitize::visible;
use crate::text::{counted, first_paths};

/// Most files of one skill that are named.
const MAX_NAMED: usize = 5;
/// Most skills that are named.
const MAX_SKILLS: usize = 20;

/// Tells what does not come along.
pub(super) fn tell(context: &Context, checked: &[Checked<'_>]) {
    let all = checked.iter().map(|each| each.candidate);
    let mut lines = all.filter_map(|each| line(&each.name, &each.tree));
    for line in lines.by_ref().take(MAX_SKILLS) {
        context.printer.note(&line);
    }
    let more = lines.count();
    if more > 0 {
        let note = format!("Files of {} more are left out", counted(more, "skill"));
        context.printer.note(&note);
    }
    let all = checked.iter().map(|each| each.candidate);
    for candidate in all.filter(|each| !each.tree.ignored().is_empty()) {
        tell_of_links(context, candidate);
    }
}

/// Warns of files that a skill links and that do not come along, because git ignores them.
fn tell_of_links(context: &Context, candidate: &Candidate) {
    let file = candidate.tree.skill_file();
    let document = Document::parse(file.map_or(&[], |file| &file.bytes));
    let ignored = candidate.tree.ignored();
    let is_ignored = |path: &str| {
        let is_it = |each: &String| each.strip_suffix('/').unwrap_or(each) == path;
        ignored.iter().any(is_it)
    };
    let mut paths: Vec<String> = ignored_links(&document, is_ignored)
        .into_iter()
        .map(|link| link.path)
        .collect();
    paths.sort_unstable();
    paths.dedup();
    if paths.is_empty() {
        return;
    }
    let (name, source) = (&candidate.name, &candidate.source);
    context.printer.warn(&format!(
        "`{name}` links {}, which does not come along, because git ignores it",
        first_paths(&paths)
    ));
    for path in paths.iter().take(MAX_NAMED) {
        let command = adding(&Path::new(source).join(path));
        let hint = format!("hint: Let git have it with `{command}`");
        context.printer.note(&visible(&hint));
    }
}

/// What is left out of a skill, if anything is, and why where that is not plain.
pub(crate) fn line(name: &str, tree: &Tree) -> Option<String> {
    let ignored = tree.ignored();
    let others = tree
        .left_out()
        .iter()
        .filter(|path| !ignored.contains(path));
    let others: Vec<String> = others.cloned().collect();
    let because = || {
        format!(
            "because git ignores it: {} (`git add -f` what belongs to the skill)",
            first_paths(ignored)
        )
    };
    let line = match (&others[..], ignored) {
        ([], []) => return None,
        (others, []) => format!("Left out of `{name}`: {}", first_paths(others)),
        ([], _) => format!("Left out of `{name}`, {}", because()),
        (others, _) => format!(
            "Left out of `{name}`: {}; {}",
            first_paths(others),
            because()
        ),
    };
    Some(visible(&line).into_owned())
}

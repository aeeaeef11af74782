//! Files that lie with a skill where it comes from, and that are none of its.

use super::check::Checked;
use crate::context::Context;
use crate::report::counted;
use crate::sanitize::visible;

/// Most files of one skill that are named.
const MOST_NAMED: usize = 5;
/// Most skills that are named.
const MOST_SKILLS: usize = 20;

/// Tells what does not come along.
pub(super) fn tell(context: &Context, checked: &[Checked<'_>]) {
    let all = checked.iter().map(|each| each.candidate);
    let mut lines = all.filter_map(|each| line(&each.name, each.tree.left_out()));
    for line in lines.by_ref().take(MOST_SKILLS) {
        context.printer.note(&line);
    }
    let more = lines.count();
    if more > 0 {
        let note = format!("Files of {} more are left out", counted(more, "skill"));
        context.printer.note(&note);
    }
}

/// What is left out of a skill, if anything is.
pub(crate) fn line(name: &str, paths: &[String]) -> Option<String> {
    if paths.is_empty() {
        return None;
    }
    let line = format!("Left out of `{name}`: {}", named(paths));
    Some(visible(&line).into_owned())
}

/// The first of some paths, and how many more there are.
pub(crate) fn named(paths: &[String]) -> String {
    let named: Vec<String> = paths
        .iter()
        .take(MOST_NAMED)
        .map(|path| format!("`{path}`"))
        .collect();
    let more = match paths.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", named.join(", "))
}

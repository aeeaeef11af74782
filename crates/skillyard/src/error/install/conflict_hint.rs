//! What the user can do about what is in the way of an installation.

use std::collections::BTreeSet;

use skillyard_install::plan::{Conflict, ConflictReason};

use crate::shell::shell_words;

/// What the user can do about what is in the way of an installation.
pub(super) fn conflict_hint(conflicts: &[Conflict]) -> String {
    let other = "Give it another name with `--name`, replace it with `--force`, or leave it with `--skip-existing`";
    obstacle_hint(conflicts).unwrap_or_else(|| other.to_owned())
}

/// The same where the names are settled, and what is in the way was left out.
pub(super) fn left_out_hint(conflicts: &[Conflict]) -> String {
    let other = "Move it away, or replace it with `--force`";
    obstacle_hint(conflicts).unwrap_or_else(|| other.to_owned())
}

/// What keeps git from changing the ends of lines in these folders of a project.
pub(crate) fn line_ends_hint<'a>(folders: impl IntoIterator<Item = &'a str>) -> String {
    let folders: BTreeSet<&str> = folders.into_iter().collect();
    let lines = folders.into_iter().map(|each| match each {
        "." => "`* -text`".to_owned(),
        each => format!("`{}/** -text`", each.trim_start_matches("./")),
    });
    let lines: Vec<String> = lines.collect();
    format!(
        "Keep git from that with {} in a `.gitattributes` beside skills.lock",
        lines.join(" and ")
    )
}

/// What gives a folder of skills back that cannot be reached; `--force` does not.
pub(crate) fn unreachable_hint(obstacle: &ConflictReason) -> Option<&'static str> {
    match obstacle {
        ConflictReason::Blocked(_) => Some(
            "Move it away; where it is to be a link, switch `core.symlinks` on in git and check it out again",
        ),
        ConflictReason::Dangling(_) => Some(
            "Bring back what it leads to, as by mounting its disk; or remove the link, if nothing is there any more",
        ),
        ConflictReason::Looping(_) => Some("Remove the link: nothing is behind it"),
        ConflictReason::Closed(_) => {
            Some("Look at whose it is with `ls -ld`; if it is yours, `chmod u+rwx` opens it")
        }
        _ => None,
    }
}

/// What makes a lock true whose skill lies where it comes from; nothing is replaced there.
pub(crate) fn source_changed_hint<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names = shell_words(names);
    format!(
        "Nothing is replaced there: lock it as it is with `skillyard update {names}`, or set it back yourself"
    )
}

fn obstacle_hint(conflicts: &[Conflict]) -> Option<String> {
    let is_line_ends = |each: &&Conflict| matches!(each.obstacle, ConflictReason::LineEnds(_));
    // Before that nothing else can be done.
    let mut unreachable = conflicts.iter().map(|each| &each.obstacle);
    if let Some(hint) = unreachable.find_map(unreachable_hint) {
        return Some(hint.to_owned());
    }
    let hint = match conflicts.first().map(|each| &each.obstacle) {
        Some(ConflictReason::LineEnds(_)) => {
            let changed = conflicts.iter().filter(is_line_ends);
            let hint = line_ends_hint(changed.map(|each| each.target.as_str()));
            return Some(format!(
                "{hint}, then put it right with `skillyard sync --force`"
            ));
        }
        Some(ConflictReason::SourceChanged) => {
            let changed = conflicts.iter();
            let changed = changed.filter(|each| each.obstacle == ConflictReason::SourceChanged);
            let names: BTreeSet<&str> = changed.map(|each| each.name.as_str()).collect();
            return Some(source_changed_hint(names));
        }
        Some(ConflictReason::Edited(_)) => {
            "Keep your changes elsewhere, or give them up with `--force`"
        }
        Some(ConflictReason::Unrecorded) => {
            "If nobody changed it here, `--force` replaces it; the project was copied, or the home is another one than then"
        }
        Some(
            ConflictReason::Repository | ConflictReason::Link(_) | ConflictReason::Unreadable(_),
        ) => "Move it away, or replace it with `--force`",
        Some(ConflictReason::OtherScope(_)) => {
            "Both scopes have their skills in this folder: remove it in the other one, or replace it with `--force`"
        }
        Some(ConflictReason::Source) => {
            "Agents use it where it is; name others with `--agent`, or keep it in a folder that is no agent's and install it from there"
        }
        Some(ConflictReason::OtherRegistry { .. }) => {
            "Set the registry that it is locked from; or look at the other one, and take it from there with `--force`"
        }
        Some(ConflictReason::EditedBehindLink(_)) => {
            "Take a copy: leave out `--link`, and switch `install.link` off; or give up those changes with `--force`"
        }
        _ => return None,
    };
    Some(hint.to_owned())
}

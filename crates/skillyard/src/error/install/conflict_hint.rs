//! What the user can do about what is in the way of an installation.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use skillyard_install::plan::{Conflict, ConflictReason};
use skillyard_install::tree::LineEnds;

use crate::text::sanitize::visible;
use crate::text::shell::shell_words;

/// Most files that a message names.
const MAX_FILES: usize = 5;

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

/// A path in a line of text.
fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}

/// A skill with local changes, and the first changed files.
fn edited(place: &str, files: &[String]) -> String {
    let mut text = format!("{place} was edited after it was installed");
    if !files.is_empty() {
        let files = files.iter().take(MAX_FILES);
        let shown: Vec<_> = files.map(|each| visible(each)).collect();
        let _ = write!(text, ": {}", shown.join(", "));
    }
    if files.len() > MAX_FILES {
        let _ = write!(text, " and {} more", files.len() - MAX_FILES);
    }
    text
}

/// Why a conflict prevents an installation.
pub(crate) fn obstacle(conflict: &Conflict) -> String {
    let folder = conflict.folder.as_deref().map(Path::to_string_lossy);
    let place = format!(
        "`{}/{}`",
        visible(folder.as_deref().unwrap_or(&conflict.target)),
        visible(&conflict.name)
    );
    match &conflict.obstacle {
        ConflictReason::Foreign => {
            format!("{place} is there already and was not installed by skillyard")
        }
        ConflictReason::Edited(files) => edited(&place, files),
        ConflictReason::LineEnds(ends) => {
            let ends = match ends {
                LineEnds::Crlf => "CRLF, as git writes them with `core.autocrlf`",
                LineEnds::Lf => "LF, and were CRLF in part",
            };
            format!("{place} is what was installed but for the ends of its lines: they are {ends}")
        }
        ConflictReason::Unrecorded => {
            format!("{place} is not what is locked, and there is no record of what was put there")
        }
        ConflictReason::Repository => {
            format!("{place} has a git repository in it, whose history would be lost")
        }
        ConflictReason::Link(path) => {
            let path = path.to_string_lossy();
            format!(
                "{place} is a link to `{}`, which skillyard did not make",
                visible(&path)
            )
        }
        ConflictReason::Blocked(blocking) => {
            let file = blocking.file.to_string_lossy();
            let mut text = format!("`{}` is a file, and no folder for skills", visible(&file));
            if let Some(link) = &blocking.link {
                let link = visible(link);
                let _ = write!(text, ": a link to `{link}` that git wrote as text");
            }
            text
        }
        ConflictReason::Dangling(link) => {
            let link = shown(link);
            format!("`{link}` is a link to nothing, so that nobody can tell what is in {place}")
        }
        ConflictReason::Looping(link) => {
            let link = shown(link);
            format!("`{link}` is a link that leads back to itself, and no folder for skills")
        }
        ConflictReason::Closed(folder) => {
            let folder = shown(folder);
            format!("`{folder}` is closed to you, so that nobody can tell what is in {place}")
        }
        ConflictReason::Unreadable(reason) => {
            format!("{place} is not as it was installed: {}", visible(reason))
        }
        ConflictReason::SourceChanged => {
            format!("{place} is the folder that it comes from, which is not what is locked")
        }
        ConflictReason::Source => {
            format!("{place} is the folder that it comes from: it is there already, and yours")
        }
        ConflictReason::EditedBehindLink(folder) => {
            let folder = folder.to_string_lossy();
            format!(
                "`{}`, which a link would lead to, was edited through another link",
                visible(&folder)
            )
        }
        ConflictReason::Without(needed) => format!(
            "`{}` needs `{}`, which is left out",
            visible(&conflict.name),
            visible(needed)
        ),
        ConflictReason::OtherRegistry { locked, asked } => format!(
            "`{}` is locked from {}, and what {} has under this name may be something else",
            visible(&conflict.name),
            visible(locked),
            visible(asked)
        ),
        ConflictReason::OtherScope(kind) => {
            format!("{place} is what the {} scope has there", kind.as_str())
        }
        ConflictReason::OtherSource(source) => {
            format!(
                "`{}` is installed from `{}`",
                visible(&conflict.name),
                visible(source)
            )
        }
    }
}

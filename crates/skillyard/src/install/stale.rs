//! Locked skills whose source lies in the repository itself and is something else by now.
//!
//! Nothing is amiss where the store still has what is locked. Whoever checks the project out anew
//! has only what lies there, and cannot get it.

use std::fmt;

use rayon::prelude::*;
use serde::Serialize;
use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::reference::Reference;
use skillyard_install::scope::Scope;
use skillyard_install::tree::{Tree, TreeLimits};

use super::place::Place;
use super::supply::Supply;
use super::wanted::Difference;
use crate::error::install::line_ends_hint;
use crate::shell::shell_words;

/// Most skills that a command names.
const MOST_NAMES: usize = 12;

/// A skill that is not locked as its source has it now.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Stale {
    pub(crate) name: String,
    /// Where it lies in the repository.
    pub(crate) source: String,
    /// Whether only its lines end otherwise, as git writes them on some machines.
    pub(crate) line_ends: bool,
}

impl Stale {
    /// What to do about skills that lie there otherwise.
    pub(crate) fn remedy(skills: &[Self]) -> String {
        if skills.iter().all(|each| each.line_ends) {
            let folders = skills.iter().map(|each| each.source.as_str());
            return format!("{}, and check it out anew", line_ends_hint(folders));
        }
        let names = skills.iter().map(|each| each.name.as_str());
        let names = names.take(if skills.len() > MOST_NAMES {
            0
        } else {
            MOST_NAMES
        });
        let command = shell_words(["skillyard", "update"].into_iter().chain(names));
        format!("Take what is there with `{command}`, and commit the new lock")
    }
}

/// What is other, and how.
impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, source, .. } = self;
        write!(f, "`{name}` is other in `{source}`")?;
        if self.line_ends {
            f.write_str(" (only its lines end in CRLF, as git writes them with `core.autocrlf`)")?;
        }
        Ok(())
    }
}

/// The locked skills that a fresh checkout could not have. What is wanted otherwise anyway is told as
/// that.
pub(crate) fn stale(
    lock: &Lockfile,
    difference: &Difference,
    place: &Place,
    supply: &mut Supply<'_>,
) -> Vec<Stale> {
    let entries: Vec<&Locked> = lock
        .skills()
        .iter()
        .filter(|entry| is_checked_out(&entry.source) && !difference.is_to_change(&entry.name))
        .collect();
    let entries = entries.into_par_iter();
    let unlike = entries.filter_map(|entry| Some((entry, unlike(&place.scope, entry)?)));
    // An archive, or what an older version locked under another name, is looked at once more.
    let unlike: Vec<(&Locked, Unlike)> = unlike.collect();
    let mut is_stale = |entry: &Locked| {
        let found = supply.locked(entry);
        !found.is_ok_and(|found| found.tree.digest() == entry.digest)
    };
    let stale = unlike.into_iter().filter(|(entry, _)| is_stale(entry));
    stale
        .map(|(entry, unlike)| Stale {
            name: entry.name.clone(),
            source: entry.source.clone(),
            line_ends: unlike == Unlike::LineEnds,
        })
        .collect()
}

/// Whether a source is written as what comes with a checkout is.
pub(crate) fn is_checked_out(source: &str) -> bool {
    source.starts_with('.') && Reference::is_local(source)
}

/// In what a folder is not what is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unlike {
    LineEnds,
    More,
}

fn unlike(scope: &Scope, entry: &Locked) -> Option<Unlike> {
    let folder = scope.root.join(&entry.source);
    let Ok(tree) = Tree::read_delivered(&folder, &TreeLimits::default()) else {
        return Some(Unlike::More);
    };
    let tree = tree.delivered();
    let wanted = entry.delivered_as.unwrap_or(entry.digest);
    if tree.digest() == wanted {
        None
    } else if tree.with_plain_line_ends().digest() == wanted {
        Some(Unlike::LineEnds)
    } else {
        Some(Unlike::More)
    }
}

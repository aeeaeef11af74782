//! Locked skills whose source lies in the repository itself and is something else by now.
//!
//! Nothing is amiss where the store still has what is locked. Whoever checks the project out anew
//! has only what lies there, and cannot get it.

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Serialize;
use skillyard_install::git::Ignored;
use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::reference::Reference;
use skillyard_install::tree::{Tree, TreeLimits};

use super::left_out;
use super::place::Place;
use super::supply::Supply;
use super::wanted::Difference;
use crate::context::{GIT_NEEDED, in_words};
use crate::error::CommandError;
use crate::error::install::{closed_source, line_ends_hint, opening_hint};
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
    /// Why it is not what is locked.
    reason: String,
    /// Whether git could not be asked which of its files count.
    #[serde(skip)]
    in_doubt: bool,
    /// Whether nothing is there any more.
    #[serde(skip)]
    is_gone: bool,
    /// What of it is closed to the user, so that nobody can tell what is there.
    #[serde(skip)]
    closed: Option<PathBuf>,
}

impl Stale {
    /// What to do about skills that lie there otherwise.
    pub(crate) fn remedy(skills: &[Self]) -> String {
        if skills.iter().all(|each| each.line_ends) {
            let folders = skills.iter().map(|each| each.source.as_str());
            return format!("{}, and check it out anew", line_ends_hint(folders));
        }
        if skills.iter().any(|each| each.in_doubt) {
            return GIT_NEEDED.to_owned();
        }
        if let Some(closed) = skills.iter().find_map(|each| each.closed.as_ref()) {
            return opening_hint(closed);
        }
        let gone = skills.iter().filter(|each| each.is_gone);
        let gone: Vec<&str> = gone.map(|each| each.name.as_str()).collect();
        if !gone.is_empty() {
            let command = shell_words(["skillyard", "remove"].into_iter().chain(gone));
            return format!(
                "Write into skills.toml where it lies now, or take it out with `{command}`"
            );
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
        write!(f, "`{name}` is other in `{source}` ({})", self.reason)
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
    let folders: Vec<PathBuf> = entries.iter().map(|entry| folder(place, entry)).collect();
    let ignored = supply.ignoring().around(&folders);
    let entries = entries.into_par_iter().zip(ignored);
    let unlike = entries.filter_map(|(entry, ignored)| {
        let unasked = ignored.unasked().cloned();
        let unlike = unlike(&folder(place, entry), entry, ignored)?;
        Some((entry, unlike, unasked))
    });
    let unlike: Vec<_> = unlike.collect();
    // An archive, or what an older version locked under another name, is looked at once more, and so
    // is what git could not be asked about.
    let stale = unlike.into_iter().filter_map(|(entry, unlike, unasked)| {
        let mut closed = None;
        let mut reason = match supply.locked(entry) {
            Ok(found) if found.tree.digest() == entry.digest => return None,
            Ok(found) => unlike.reason(|| others(place, entry, &found.tree)),
            Err(CommandError::Unasked { paths, .. }) => {
                format!("it may be locked with {}", left_out::named(&paths))
            }
            Err(error) => {
                closed = closed_source(&error);
                error.with_causes()
            }
        };
        if let Some(unasked) = &unasked {
            let _ = write!(reason, "; {}", in_words(unasked));
        }
        let folder = folder(place, entry);
        Some(Stale {
            name: entry.name.clone(),
            source: entry.source.clone(),
            line_ends: unlike == Unlike::LineEnds,
            reason,
            in_doubt: unasked.is_some(),
            is_gone: folder.try_exists().is_ok_and(|is_there| !is_there),
            closed,
        })
    });
    stale.collect()
}

/// Where a skill lies that comes with a checkout.
fn folder(place: &Place, entry: &Locked) -> PathBuf {
    place.scope.root.join(&entry.source)
}

/// Whether a source is written as what comes with a checkout is.
pub(crate) fn is_checked_out(source: &str) -> bool {
    source.starts_with('.') && Reference::is_local(source)
}

/// In what a folder is not what is locked.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Unlike {
    LineEnds,
    /// It was locked with files that no commit has.
    Ignored(Vec<String>),
    More,
}

impl Unlike {
    /// In words; `others` are the files that are not as they are locked, where that can be told.
    fn reason(&self, others: impl FnOnce() -> Vec<String>) -> String {
        match self {
            Self::LineEnds => {
                "only its lines end in CRLF, as git writes them with `core.autocrlf`".to_owned()
            }
            Self::Ignored(paths) => format!(
                "it is locked with {}, which git ignores",
                left_out::named(paths)
            ),
            Self::More => match others() {
                none if none.is_empty() => "its files are not those that are locked".to_owned(),
                some => format!("not as locked: {}", left_out::named(&some)),
            },
        }
    }
}

fn unlike(folder: &Path, entry: &Locked, ignored: Ignored) -> Option<Unlike> {
    let wanted = entry.delivered_as.unwrap_or(entry.digest);
    let read = |ignored| Tree::read_delivered(folder, &TreeLimits::default(), ignored);
    let Ok(tree) = read(ignored) else {
        return Some(Unlike::More);
    };
    if tree.digest() == wanted {
        None
    } else if tree.with_plain_line_ends().digest() == wanted {
        Some(Unlike::LineEnds)
    } else if let Ok(whole) = read(Ignored::default())
        && whole.digest() == wanted
    {
        let left_out = tree.left_out().iter();
        let ignored = left_out.filter(|path| !whole.left_out().contains(path));
        Some(Unlike::Ignored(ignored.cloned().collect()))
    } else {
        Some(Unlike::More)
    }
}

/// The files that are not as they are locked, where the store still has what is.
fn others(place: &Place, entry: &Locked, found: &Tree) -> Vec<String> {
    let locked = place.store.read(entry.digest);
    locked.map_or_else(|_| Vec::new(), |locked| locked.difference(found))
}

//! Locked skills whose source lies in the repository itself and is something else by now.
//!
//! Nothing is amiss where the store still has what is locked. Whoever checks the project out anew
//! has only what lies there, and cannot get it.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::iter;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Serialize, Serializer};
use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::reference::Reference;
use skillyard_install::tree::Ignored;
use skillyard_install::tree::{Tree, TreeLimits};

use super::left_out;
use super::place::Place;
use super::supply::Supply;
use super::wanted::{Difference, is_asked_for, leading_to};
use crate::context::in_words;
use crate::error::CommandError;
use crate::error::install::closed_source;

mod remedy;

/// A skill that is not locked as its source has it now.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Stale {
    pub(crate) name: String,
    /// Where it lies in the repository.
    pub(crate) source: String,
    #[serde(rename = "line_ends", serialize_with = "is_line_ends")]
    fault: Fault,
    /// Why it is not what is locked.
    reason: String,
    /// Whether it is installed only because others need it.
    #[serde(skip)]
    is_needed: bool,
    /// Where those lie that need it themselves, by their names.
    #[serde(skip)]
    dependants: BTreeMap<String, String>,
    /// What was asked for and is it, or needs it: it goes with these.
    #[serde(skip)]
    asked_for: Vec<String>,
}

/// What is the matter with a source.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fault {
    /// Only its lines end otherwise, as git writes them on some machines.
    LineEnds,
    /// Git could not be asked which of its files count.
    InDoubt,
    /// This is closed to the user, so that nobody can tell what is there.
    Closed(PathBuf),
    /// Nothing is there any more.
    Gone,
    /// What is there is no skill that could be taken.
    Broken,
    /// Other files are there.
    Other,
}

/// For programs, which know no more than that.
fn is_line_ends<S: Serializer>(fault: &Fault, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(*fault == Fault::LineEnds)
}

/// What is other, and how.
impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            source,
            reason,
            ..
        } = self;
        match self.fault {
            Fault::Gone => write!(f, "`{name}` is not in `{source}` any more"),
            Fault::Broken => write!(f, "`{name}` cannot be had from `{source}` ({reason})"),
            _ => write!(f, "`{name}` is other in `{source}` ({reason})"),
        }
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
    let manifest = place.manifest().ok().flatten();
    let stale = unlike.into_iter().filter_map(|(entry, unlike, unasked)| {
        let (mut fault, mut reason) = match supply.locked(entry) {
            Ok(found) if found.tree.digest() == entry.digest => return None,
            Ok(found) => {
                let reason = unlike.reason(|| others(place, entry, &found.tree));
                let fault = match unlike {
                    Unlike::LineEnds => Fault::LineEnds,
                    Unlike::Ignored(_) | Unlike::More => Fault::Other,
                };
                (fault, reason)
            }
            Err(error) => {
                let is_gone = matches!(error, CommandError::NoSuchPath(_));
                let fault = match closed_source(&error) {
                    Some(closed) => Fault::Closed(closed),
                    None if is_gone => Fault::Gone,
                    None => Fault::Broken,
                };
                (fault, error.with_causes())
            }
        };
        if let Some(unasked) = &unasked {
            fault = Fault::InDoubt;
            let _ = write!(reason, "; {}", in_words(unasked));
        }
        let needs = |each: &&Locked| each.needs().any(|name| name == entry.name);
        let dependants = lock.skills().iter().filter(needs);
        let asked_for = iter::once(entry).chain(leading_to(lock, &entry.name));
        let asked_for = asked_for.filter(|each| is_asked_for(each, manifest.as_ref()));
        Some(Stale {
            name: entry.name.clone(),
            source: entry.source.clone(),
            fault,
            reason,
            is_needed: entry.dependency,
            dependants: dependants
                .map(|each| (each.name.clone(), each.source.clone()))
                .collect(),
            asked_for: asked_for.map(|each| each.name.clone()).collect(),
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

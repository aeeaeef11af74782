//! Locked skills whose source lies in the repository itself and is something else by now.
//!
//! Nothing is amiss where the store still has what is locked. Whoever checks the project out anew
//! has only what lies there, and cannot get it.

use std::fmt::Write as _;
use std::iter;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::reference::Reference;
use skillyard_install::tree::{Ignored, Tree, TreeLimits};

use super::wanted::Difference;
use crate::context::ignored_in_words;
use crate::error::CommandError;
use crate::error::install::{Fault, Stale, closed_source};
use crate::install::source_resolver::SourceResolver;
use crate::scope::{ScopeContext, is_asked_for, leading_to};
use crate::text::first_paths;

/// The locked skills that a fresh checkout could not have. What is wanted otherwise anyway is told as
/// that.
pub(crate) fn stale(
    lock: &Lockfile,
    difference: &Difference,
    place: &ScopeContext,
    supply: &mut SourceResolver<'_>,
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
            let _ = write!(reason, "; {}", ignored_in_words(unasked));
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
fn folder(place: &ScopeContext, entry: &Locked) -> PathBuf {
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
                first_paths(paths)
            ),
            Self::More => match others() {
                none if none.is_empty() => "its files are not those that are locked".to_owned(),
                some => format!("not as locked: {}", first_paths(&some)),
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
fn others(place: &ScopeContext, entry: &Locked, found: &Tree) -> Vec<String> {
    let locked = place.store.read(entry.digest);
    locked.map_or_else(|_| Vec::new(), |locked| locked.difference(found))
}

//! Locked skills that a fresh checkout could not have, and what to do about them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use serde::{Serialize, Serializer};

use super::{line_ends_hint, opening_hint};
use crate::error::GIT_NEEDED;
use crate::text::shell::shell_words;

/// Most skills that a command names.
const MAX_NAMES: usize = 12;

/// A skill that is not locked as its source has it now.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Stale {
    pub(crate) name: String,
    /// Where it lies in the repository.
    pub(crate) source: String,
    #[serde(rename = "line_ends", serialize_with = "is_line_ends")]
    pub(crate) fault: Fault,
    /// Why it is not what is locked.
    pub(crate) reason: String,
    /// Whether it is installed only because others need it.
    #[serde(skip)]
    pub(crate) is_needed: bool,
    /// Where those lie that need it themselves, by their names.
    #[serde(skip)]
    pub(crate) dependants: BTreeMap<String, String>,
    /// What was asked for and is it, or needs it: it goes with these.
    #[serde(skip)]
    pub(crate) asked_for: Vec<String>,
}

/// What is the matter with a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
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

impl Stale {
    /// What to do about skills that lie there otherwise.
    pub(crate) fn remedy(skills: &[Self]) -> String {
        let with = |fault: &Fault| {
            let found = skills.iter().filter(|each| each.fault == *fault);
            found.collect::<Vec<_>>()
        };
        let line_ends = with(&Fault::LineEnds);
        if line_ends.len() == skills.len() {
            let folders = line_ends.iter().map(|each| each.source.as_str());
            return format!("{}, and check it out anew", line_ends_hint(folders));
        }
        if !with(&Fault::InDoubt).is_empty() {
            return GIT_NEEDED.to_owned();
        }
        let mut closed = skills.iter().filter_map(|each| match &each.fault {
            Fault::Closed(path) => Some(path),
            _ => None,
        });
        if let Some(closed) = closed.next() {
            return opening_hint(closed);
        }
        let gone = with(&Fault::Gone);
        let (needed, wanted): (Vec<&Self>, Vec<&Self>) =
            gone.iter().partition(|each| each.is_needed);
        if !wanted.is_empty() {
            return moved(&wanted);
        }
        // What is gone itself says nothing of where the others are.
        let is_gone = |name: &String| gone.iter().any(|each| each.name == *name);
        let mut needed = needed.into_iter();
        if let Some(first) = needed.find(|each| !each.dependants.keys().all(is_gone)) {
            return first.moved_from_dependants(is_gone);
        }
        match with(&Fault::Broken)[..] {
            [] => {
                let command = update(with(&Fault::Other).into_iter());
                format!("Take what is there with `{command}`, and commit the new lock")
            }
            ref broken => mending(broken),
        }
    }

    /// Only what needs it says where it is looked for.
    fn moved_from_dependants(&self, is_gone: impl Fn(&String) -> bool) -> String {
        let dependants = self.dependants.iter().filter(|(name, _)| !is_gone(name));
        let (names, sources): (Vec<&str>, Vec<String>) = dependants
            .map(|(name, source)| (name.as_str(), format!("`{source}`")))
            .unzip();
        let update = shell_words(["skillyard", "update"].into_iter().chain(names));
        format!(
            "Say in {} where `{}` lies now, then take that with `{update}`; or remove what needs it \
             with `{}`",
            sources.join(" and "),
            self.name,
            remove(&[self])
        )
    }
}

/// Where what was asked for is gone.
fn moved(skills: &[&Stale]) -> String {
    let (lies, them) = match skills {
        [_] => ("it lies", "it"),
        _ => ("they lie", "them"),
    };
    let remove = remove(skills);
    format!("Write into skills.toml where {lies} now, or take {them} out with `{remove}`")
}

/// Where what is there cannot be taken.
fn mending(skills: &[&Stale]) -> String {
    let sources: Vec<String> = skills
        .iter()
        .map(|each| format!("`{}`", each.source))
        .collect();
    let them = if skills.len() == 1 { "it" } else { "them" };
    let what = if skills.iter().any(|each| each.is_needed) {
        format!("remove {them} and what needs {them}")
    } else {
        format!("take {them} out")
    };
    format!(
        "Put {} right, as from the repository, and take what is there then with `{}`; or {what} with `{}`",
        sources.join(" and "),
        update(skills.iter().copied()),
        remove(skills)
    )
}

/// The command that takes skills as they lie there; without names it takes all.
fn update<'a>(skills: impl ExactSizeIterator<Item = &'a Stale>) -> String {
    let most = if skills.len() > MAX_NAMES {
        0
    } else {
        MAX_NAMES
    };
    let names = skills.take(most).map(|each| each.name.as_str());
    shell_words(["skillyard", "update"].into_iter().chain(names))
}

/// The command that removes skills; who needs them goes first, or with them.
fn remove(skills: &[&Stale]) -> String {
    let names = skills.iter().flat_map(|each| &each.asked_for);
    let names: BTreeSet<&str> = names.map(String::as_str).collect();
    shell_words(["skillyard", "remove"].into_iter().chain(names))
}

//! What to do about skills that lie in the repository otherwise than they are locked.
//!
//! One thing at a time, first what keeps the rest from being done.

use std::collections::BTreeSet;

use super::{Fault, Stale};
use crate::context::GIT_NEEDED;
use crate::error::install::{line_ends_hint, opening_hint};
use crate::shell::shell_words;

/// Most skills that a command names.
const MAX_NAMES: usize = 12;

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

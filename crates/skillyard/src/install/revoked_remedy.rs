//! What the user can do about a skill that is revoked.

use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::manifest::Manifest;
use skillyard_install::plan::{Settlement, Wish};

use super::finish;
use super::place::Place;
use super::wanted::{after, is_asked_for, needed_by};
use crate::shell::{shell_word, shell_words};

/// What the user can do about a skill that is installed; `scope` is typed behind commands.
pub(crate) fn remedy(name: &str, scope: &str) -> String {
    either(&shell_word(name), name, scope)
}

/// The ways out of what is revoked among the skills of a place.
pub(crate) struct WayOut<'a> {
    pub(super) place: &'a Place,
    /// Typed behind commands.
    scope: &'a str,
    lock: Lockfile,
    manifest: Option<Manifest>,
    /// What is locked, and what would be.
    all: Lockfile,
}

impl<'a> WayOut<'a> {
    /// Looks who needs whom, among what is locked and what would be.
    pub(crate) fn new<'e>(
        place: &'a Place,
        scope: &'a str,
        entries: impl Iterator<Item = &'e Locked>,
    ) -> Self {
        // What cannot be read is told elsewhere.
        let lock = place.lock().unwrap_or_default();
        let entries: Vec<Locked> = entries.cloned().collect();
        Self {
            place,
            scope,
            manifest: place.manifest().ok().flatten(),
            all: after(&lock, &entries, &[]),
            lock,
        }
    }

    /// What can be done about one of them: what needs it goes with it, and what was changed there is
    /// not given up without a word.
    pub(super) fn of(&self, entry: &Locked) -> String {
        let scope = self.scope;
        let manifest = self.manifest.as_ref();
        let name = entry.name.as_str();
        let is_asked = |each: &&Locked| is_asked_for(each, manifest);
        let needs =
            |each: &&Locked| needed_by(&self.all, [each.name.as_str()].into_iter()).contains(name);
        let others = self.all.skills().iter().filter(|each| each.name != name);
        let dependants = others.filter(is_asked).filter(needs);
        let dependants = dependants.map(|each| each.name.as_str());
        let names: Vec<&str> = if is_asked(&entry) {
            vec![name]
        } else if self.lock.get(name).is_some() {
            [name].into_iter().chain(dependants).collect()
        } else {
            let dependants = shell_words(dependants);
            return format!("Take away what needs it with `skillyard remove {dependants}{scope}`");
        };
        let removed = shell_words(names.iter().copied());
        if self.is_changed(&names) {
            let scope = format!(" --force{scope}");
            format!(
                "Keep your changes elsewhere. {}",
                either(&removed, name, &scope)
            )
        } else {
            either(&removed, name, scope)
        }
    }

    /// Whether something was made of these skills that nobody takes away without a word.
    fn is_changed(&self, names: &[&str]) -> bool {
        let wish = Wish {
            absent: names.iter().map(|&name| name.to_owned()).collect(),
            ..Wish::default()
        };
        finish::look(self.place, &wish, &Settlement::default())
            .is_ok_and(|plan| !plan.conflicts.is_empty())
    }
}

fn either(removed: &str, name: &str, rest: &str) -> String {
    let name = shell_word(name);
    format!(
        "Take it away with `skillyard remove {removed}{rest}`, or see with `skillyard update {name}{rest}` whether it was mended"
    )
}

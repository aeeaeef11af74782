//! What the user can do about a skill that is revoked.

use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::manifest::Manifest;
use skillyard_install::plan::{ConflictPolicy, DesiredState};
use skillyard_install::records::Records;
use skillyard_install::scope::Scope;
use skillyard_install::store::Store;
use skillyard_install::transaction::{before, plan_in};

use crate::scope::{ScopeContext, after, is_asked_for, needed_by};
use crate::text::shell::{shell_word, shell_words};

/// The ways out of what is revoked among the skills of a scope.
pub(crate) struct RevokedRemedies<'a> {
    pub(crate) scope: &'a Scope,
    store: &'a Store,
    records: &'a Records,
    /// Typed behind commands.
    typed: &'a str,
    /// What is locked when these commands are typed.
    pub(crate) lock: Lockfile,
    manifest: Option<Manifest>,
    /// What is locked then, and what would be if nothing were revoked.
    all: Lockfile,
}

impl<'a> RevokedRemedies<'a> {
    /// Looks who needs whom, among what is locked and what would be.
    pub(crate) fn new<'e>(
        place: &'a ScopeContext,
        typed: &'a str,
        lock: Lockfile,
        entries: impl Iterator<Item = &'e Locked>,
    ) -> Self {
        let entries: Vec<Locked> = entries.cloned().collect();
        Self {
            scope: &place.scope,
            store: &place.store,
            records: &place.records,
            typed,
            manifest: place.manifest().ok().flatten(),
            all: after(&lock, &entries, &[]),
            lock,
        }
    }

    /// The same among what is locked in a scope.
    pub(crate) fn of_scope(
        scope: &'a Scope,
        store: &'a Store,
        records: &'a Records,
        typed: &'a str,
    ) -> Self {
        // What cannot be read is told elsewhere.
        let lock = records.lock(scope).unwrap_or_default();
        Self {
            scope,
            store,
            records,
            typed,
            manifest: records.manifest(scope).ok().flatten(),
            all: lock.clone(),
            lock,
        }
    }

    /// What can be done about one of them: what needs it goes with it, and what was changed there is
    /// not given up without a word.
    pub(crate) fn of(&self, entry: &Locked) -> RevokedRemedy {
        let name = entry.name.as_str();
        let needs =
            |each: &&Locked| needed_by(&self.all, [each.name.as_str()].into_iter()).contains(name);
        let others = self.all.skills().iter().filter(|each| each.name != name);
        let others = others.filter(|each| is_asked_for(each, self.manifest.as_ref()));
        let others = others
            .filter(|each| self.is_known(&each.name))
            .filter(needs);
        let others: Vec<&str> = others.map(|each| each.name.as_str()).collect();
        // What is left of it where nobody wants it any more can be named as well.
        let is_itself = self.is_known(name) || others.is_empty();
        let itself = is_itself.then_some(name);
        let names: Vec<&str> = itself.into_iter().chain(others).collect();
        let is_changed = self.is_changed(&names);
        let rest = if is_changed { " --force" } else { "" };
        let rest = format!("{rest}{}", self.typed);
        RevokedRemedy {
            is_changed,
            removal: format!("skillyard remove {}{rest}", shell_words(names)),
            update: is_itself.then(|| format!("skillyard update {}{rest}", shell_word(name))),
        }
    }

    /// Whether a skill can be removed by its name.
    fn is_known(&self, name: &str) -> bool {
        let manifest = self.manifest.as_ref();
        self.lock.get(name).is_some() || manifest.is_some_and(|each| each.get(name).is_some())
    }

    /// Whether something was made of these skills that nobody takes away without a word.
    fn is_changed(&self, names: &[&str]) -> bool {
        let wish = DesiredState {
            absent: names.iter().map(|&name| name.to_owned()).collect(),
            ..DesiredState::default()
        };
        let Ok(before) = before(self.scope, self.records) else {
            return false;
        };
        let settlement = ConflictPolicy::default();
        let plan = plan_in(self.scope, self.store, &before, &wish, &settlement);
        !plan.conflicts.is_empty()
    }
}

/// What can be done about one skill, as commands.
#[derive(Debug, Clone)]
pub(crate) struct RevokedRemedy {
    is_changed: bool,
    removal: String,
    /// None where only what needs it is here.
    update: Option<String>,
}

impl RevokedRemedy {
    /// Both ways, as far as there are two.
    pub(crate) fn hint(&self) -> String {
        let removal = &self.removal;
        let keep = if self.is_changed {
            "Keep your changes elsewhere. "
        } else {
            ""
        };
        match &self.update {
            Some(update) => format!(
                "{keep}Take it away with `{removal}`, or see with `{update}` whether it was mended"
            ),
            None => format!("{keep}Take away what needs it with `{removal}`"),
        }
    }

    /// The one that is left where its source has nothing else.
    pub(crate) fn without_newer(&self) -> String {
        let removal = &self.removal;
        let keep = if self.is_changed {
            "keep your changes elsewhere, and "
        } else {
            ""
        };
        format!("its source has nothing newer: {keep}take it away with `{removal}`")
    }
}

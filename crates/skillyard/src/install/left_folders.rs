//! Folders of agents that a variable named once, and what is left there.

use skillyard_install::LeftFolder;
use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::scope::Scope;

use super::place;
use crate::context::Context;
use crate::report::listed;
use crate::sanitize::visible;

/// Those of the scopes that commands mean here.
pub(crate) fn all(context: &Context) -> Vec<LeftFolder> {
    let scopes = place::scopes(context);
    scopes.iter().flat_map(Scope::left_folders).collect()
}

/// Tells of what is left there.
pub(crate) fn tell(context: &Context, left: &[LeftFolder]) {
    for each in left {
        tell_one(context, each, "has", |_| true);
    }
}

/// Tells of what is there otherwise than it is locked: nothing brings it up to date from here.
pub(crate) fn tell_stale(context: &Context, scope: &Scope, lock: &Lockfile) {
    let is_stale = |entry: &Locked| {
        let locked = lock.get(&entry.name);
        locked.is_none_or(|locked| locked.digest != entry.digest)
    };
    for each in scope.left_folders() {
        tell_one(context, &each, "has, otherwise than locked,", is_stale);
    }
}

/// Tells of these skills where they are left in another folder than those that were meant.
pub(crate) fn tell_named(context: &Context, scope: &Scope, names: &[String]) {
    for each in scope.left_folders() {
        tell_one(context, &each, "still has", |entry| {
            names.contains(&entry.name)
        });
    }
}

fn tell_one(context: &Context, left: &LeftFolder, has: &str, is_meant: impl Fn(&Locked) -> bool) {
    let entries = left.record.skills().iter().filter(|entry| is_meant(entry));
    let names: Vec<&str> = entries.map(|entry| entry.name.as_str()).collect();
    if names.is_empty() {
        return;
    }
    let note = format!(
        "`{}`, which is not used as the variables are set, {has} {}: let the variable name it again to change or remove them there, or delete them",
        left.folder.display(),
        listed(&names)
    );
    context.printer.note(&visible(&note));
}

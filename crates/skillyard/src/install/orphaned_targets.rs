//! Folders of agents that a variable named once, and what is left there.

use std::path::PathBuf;

use skillyard_install::LeftFolder;
use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::scope::Scope;

use crate::context::Context;
use crate::error::CommandError;
use crate::install::written;
use crate::scope;
use crate::scope::{ScopeContext, whole};
use crate::text::listed;
use crate::text::sanitize::visible;

/// Those of the scopes that commands mean here.
pub(crate) fn all(context: &Context) -> Vec<LeftFolder> {
    let scopes = scope::scopes(context);
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

/// The same, or where it has none of these skills and a folder has one that a variable named once,
/// the scope as it was then.
pub(crate) fn or_left(
    place: ScopeContext,
    context: &Context,
    names: &[String],
) -> Result<ScopeContext, CommandError> {
    let before = place.before()?;
    let is_here = |name: &String| before.entry(name).is_some();
    if names.iter().any(is_here) {
        return Ok(place);
    }
    let is_named = |each: &LeftFolder| names.iter().any(|name| each.record.get(name).is_some());
    let Some(left) = place.scope.left_folders().into_iter().find(is_named) else {
        return Ok(place);
    };
    // What the user wrote here is nearer than what lies where nothing leads any more, unless it is
    // that, because other agents read it there.
    for name in names {
        let is_left = |folder: &PathBuf| {
            let folder_left = left.folder.join(name);
            left.record.get(name).is_some() && whole(folder) == whole(&folder_left)
        };
        let found = written::find(context, &place, name)?;
        if found.is_some_and(|found| !found.folders.iter().all(is_left)) {
            return Ok(place);
        }
    }
    Ok(ScopeContext::with(context, left.scope(&place.scope)))
}

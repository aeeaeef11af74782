//! Skills that are locked and lie in none of their folders, as after a clone.

use std::collections::BTreeSet;
use std::path::PathBuf;

use skillyard_install::lockfile::Locked;
use skillyard_install::scope::Scope;

use super::place::{self, Place};
use crate::context::Context;

/// Where a skill is put.
pub(crate) fn folders(scope: &Scope, entry: &Locked) -> impl Iterator<Item = PathBuf> {
    let targets = entry.targets.iter();
    targets.map(|target| scope.target(target).join(&entry.name))
}

/// Whether something lies where a skill is put.
pub(crate) fn is_installed(place: &Place, entry: &Locked) -> bool {
    folders(&place.scope, entry).any(|folder| folder.exists())
}

/// The commands that bring skills here that are locked and not here, one for each scope.
pub(crate) fn remedies(context: &Context, names: &BTreeSet<&str>) -> Vec<String> {
    let places = place::all(context).into_iter();
    let lacking = places.filter(|(place, _)| {
        let lock = place.lock().unwrap_or_default();
        let mut entries = lock.skills().iter();
        entries.any(|entry| names.contains(entry.name.as_str()) && !is_installed(place, entry))
    });
    let commands = lacking.map(|(_, scope)| format!("`skillyard sync{scope}`"));
    let commands: Vec<String> = commands.collect();
    if commands.is_empty() {
        return vec!["`skillyard sync` in the project around this one".to_owned()];
    }
    commands
}

/// What to type behind `sync` for a skill that is locked and not here. A lock that cannot be read is
/// told of elsewhere.
pub(crate) fn scope_of(context: &Context, name: &str) -> Option<&'static str> {
    let mut places = place::all(context).into_iter();
    places.find_map(|(place, scope)| {
        let lock = place.lock().ok()?;
        let entry = lock.get(name)?;
        (!is_installed(&place, entry)).then_some(scope)
    })
}

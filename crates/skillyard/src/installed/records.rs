//! What is written down about a scope.

use std::path::PathBuf;

use skillyard_install::lockfile::{Locked, Lockfile, LockfileError};
use skillyard_install::records::Records;
use skillyard_install::scope::Scope;

use super::compared::{digest_of, shown_as};

/// What is written down about a scope: its lock, and what was put there and is not locked any more.
pub(super) fn records_of(scope: &Scope) -> Result<Vec<(Scope, Lockfile)>, LockfileError> {
    let records = Records::default();
    let lock = records.lock(scope)?;
    let placed = records.placed(scope).filter(|placed| *placed != lock);
    let dropped = placed.map(|placed| still_there(scope, &lock, placed));
    let all = std::iter::once(lock).chain(dropped);
    Ok(all.map(|lock| (scope.clone(), lock)).collect())
}

/// Whether anything is written down about a scope.
pub(crate) fn has_records(scope: &Scope) -> bool {
    // A link in the place of a lock is none that can be read.
    let is_there = |file: PathBuf| file.symlink_metadata().is_ok();
    is_there(scope.lock_file()) || scope.placed_file().is_some_and(is_there)
}

/// What others took out of a lock is not less foreign for that, as long as it is what was put there.
/// Who made something else of it has made it their own.
fn still_there(scope: &Scope, lock: &Lockfile, mut placed: Lockfile) -> Lockfile {
    let is_there = |entry: &Locked| {
        entry.targets.iter().any(|target| {
            let folder = scope.target(target).join(&entry.name);
            digest_of(&folder).is_some_and(|now| {
                now == entry.digest || shown_as(scope, entry.digest, &folder).contains(&now)
            })
        })
    };
    let names = placed.skills().iter();
    let gone = names.filter(|entry| lock.get(&entry.name).is_some() || !is_there(entry));
    let gone: Vec<String> = gone.map(|entry| entry.name.clone()).collect();
    for name in gone {
        placed.remove(&name);
    }
    placed
}

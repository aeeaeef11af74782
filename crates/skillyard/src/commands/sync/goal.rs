//! What `sync` is to lead to.

use skillyard_install::dependencies::Needed;
use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::plan::{DesiredState, InstalledState};

use crate::context::Context;
use crate::error::CommandError;
use crate::install::held::Held;
use crate::install::place::Place;
use crate::install::wanted::{Difference, after};
use crate::install::wish::wish;

/// What is to be: what is locked, unless it is wanted otherwise, or by nobody any more.
pub(super) fn goal(
    context: &Context,
    place: &Place,
    before: &InstalledState,
    lock: &Lockfile,
    difference: &Difference,
    needed: &[Needed],
    held: &Held,
) -> Result<DesiredState, CommandError> {
    if difference.is_empty() {
        return Ok(as_found(before, lock.skills().to_vec(), Vec::new()));
    }
    let config = context.config()?;
    let targets = place.targets(&[], &config.install_agents())?;
    let mut anew = wish(needed, lock, &targets, config.installs_links())?.present;
    for entry in &mut anew {
        if let Some(before) = lock.get(&entry.name) {
            entry.linked = before.linked;
            // What was only read again for what it needs stays what it was.
            if difference.reference(&entry.name).is_none() {
                entry.dependency = before.dependency;
            }
        }
    }
    let manifest = place.manifest()?;
    let absent = held.orphans(&after(lock, &anew, &[]), manifest.as_ref());
    anew.retain(|entry| !absent.contains(&entry.name));
    let is_anew = |name: &str| anew.iter().any(|entry| entry.name == name);
    let stays = |entry: &&Locked| !is_anew(&entry.name) && !absent.contains(&entry.name);
    let stays = lock.skills().iter().filter(stays);
    let mut present: Vec<Locked> = stays.cloned().collect();
    present.append(&mut anew);
    for entry in &mut present {
        if let Some(spread) = difference.spread(entry) {
            *entry = spread;
        }
    }
    Ok(as_found(before, present, absent))
}

/// What is to be on this machine, whatever is here. What a colleague took out of the lock goes from
/// here too, as long as it is what was put here.
fn as_found(before: &InstalledState, present: Vec<Locked>, absent: Vec<String>) -> DesiredState {
    let is_wanted = |name: &&str| present.iter().any(|entry| entry.name == **name);
    let dropped = before.dropped().filter(|name| !is_wanted(name));
    let dropped = dropped.map(str::to_owned).collect();
    DesiredState {
        present,
        absent,
        dropped,
        ..DesiredState::default()
    }
}

//! Removing skills for some agents only: out of their folders, and out of no others.

use skillyard_install::lockfile::{Locked, Lockfile};

use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::scope::{ScopeContext, leading_to, whole};

/// The skills as they will be locked once they are out of the folders of these agents; one that is in
/// no other has no folder left.
pub(super) fn without(
    context: &Context,
    place: &ScopeContext,
    lock: &Lockfile,
    names: &[String],
    agents: &[String],
) -> Result<Vec<Locked>, CommandError> {
    let folders = place.folders_of(agents)?;
    let manifest = place.manifest()?;
    let wanted = manifest.map(|manifest| place.targets_for_all(&manifest));
    let wanted = wanted.transpose()?.unwrap_or_default();
    // The next `sync` would put them back.
    if let Some(folder) = folders.iter().find(|each| wanted.contains(each)) {
        return Err(InstallFailure::WantedInFolder(folder.clone()).into());
    }
    let mut left: Vec<Locked> = Vec::new();
    for name in names {
        if left.iter().any(|entry| entry.name == *name) {
            continue;
        }
        let entry = lock.get(name);
        let mut entry = entry
            .ok_or_else(|| InstallFailure::not_installed(lock, name))?
            .clone();
        let gone: Vec<String> = entry
            .targets
            .extract_if(.., |each| folders.contains(each))
            .collect();
        if gone.is_empty() {
            return Err(InstallFailure::NotInFolders {
                name: name.clone(),
                folders,
                targets: entry.targets,
            }
            .into());
        }
        refuse_one_folder(place, &entry, &gone)?;
        refuse_needed(lock, names, name, (agents, &gone))?;
        left.push(entry);
    }
    let readers = place.readers(&folders, agents);
    if !readers.is_empty() {
        let readers = readers.join(", ");
        let note = format!(
            "In use here, and without it as well, because the folder is theirs, too: {readers}"
        );
        context.printer.note(&note);
    }
    Ok(left)
}

/// Refuses to remove the only copy, which another agent has by a link.
fn refuse_one_folder(
    place: &ScopeContext,
    entry: &Locked,
    gone: &[String],
) -> Result<(), CommandError> {
    let folder = |target: &String| place.scope.target(target);
    for gone in gone {
        for kept in &entry.targets {
            let own = folder(kept).join(&entry.name);
            // Links to the store are no links to each other.
            let is_link = !entry.linked && own.is_symlink();
            let is_one = whole(&folder(gone)) == whole(&folder(kept))
                || is_link && whole(&folder(gone).join(&entry.name)) == whole(&own);
            if is_one {
                return Err(InstallFailure::OneFolder {
                    name: entry.name.clone(),
                    gone: gone.clone(),
                    kept: kept.clone(),
                }
                .into());
            }
        }
    }
    Ok(())
}

/// Refuses to take from an agent what other skills need that it goes on having.
fn refuse_needed(
    lock: &Lockfile,
    names: &[String],
    name: &str,
    (agents, gone): (&[String], &[String]),
) -> Result<(), CommandError> {
    let is_there = |entry: &&Locked| entry.targets.iter().any(|each| gone.contains(each));
    let needs = |entry: &&Locked| entry.needs().any(|each| each == name);
    let skills = lock.skills().iter();
    let dependants = skills.filter(|each| !names.contains(&each.name) && needs(each));
    let dependants: Vec<String> = dependants
        .filter(is_there)
        .map(|each| each.name.clone())
        .collect();
    if dependants.is_empty() {
        return Ok(());
    }
    let more = leading_to(lock, name).filter(|each| !names.contains(&each.name));
    let more = more.filter(is_there).map(|each| each.name.clone());
    let agents = agents.iter().flat_map(|agent| ["--agent", agent]);
    let words = names.iter().cloned().chain(more);
    let words = words.chain(agents.map(str::to_owned)).collect();
    Err(InstallFailure::StillNeeded {
        name: name.to_owned(),
        dependants,
        words,
    }
    .into())
}

//! What is to be installed, as the lock will say it.

use skillyard_install::dependencies::Needed;
use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::plan::DesiredState;

use crate::error::install::InstallFailure;
use crate::install::check::Checked;

/// Writes into the lock who signed what.
pub(crate) fn signed(mut wish: DesiredState, checked: &[Checked<'_>]) -> DesiredState {
    for entry in &mut wish.present {
        let found = checked
            .iter()
            .find(|each| each.candidate.name == entry.name);
        if let Some(found) = found {
            entry.signer = found.signer();
        }
    }
    wish
}

/// What is to be: a skill that is installed already stays where it is, too. Names that no folder can
/// have end here, after every other name could be given.
pub(crate) fn wish(
    needed: &[Needed],
    lock: &Lockfile,
    targets: &[String],
    linked: bool,
) -> Result<DesiredState, InstallFailure> {
    let odd = needed.iter().map(|each| &each.candidate);
    let odd: Vec<String> = odd
        .filter(|candidate| !candidate.can_be_placed())
        .map(|candidate| candidate.name.clone())
        .collect();
    if !odd.is_empty() {
        return Err(InstallFailure::FolderNames(odd));
    }
    let mut wish = DesiredState::default();
    for each in needed {
        let before = lock.get(&each.candidate.name);
        let mut all: Vec<String> = targets.to_vec();
        all.extend(
            before
                .iter()
                .flat_map(|entry| entry.targets.iter().cloned()),
        );
        all.sort_unstable();
        all.dedup();
        let mut entry = each.candidate.locked(all);
        entry.linked = linked;
        // Bytes that were checked before are signed by whom they were signed.
        entry.signer = before
            .filter(|before| before.digest == entry.digest)
            .and_then(|before| before.signer.clone());
        entry.requires.clone_from(&each.requires);
        // The same bytes are still those of the registry that they were locked from.
        if let Some(before) = before.filter(|before| is_same_elsewhere(before, &entry)) {
            entry.url.clone_from(&before.url);
        }
        // What others need as well goes on being wanted as it was asked for.
        if let Some(before) = before
            .filter(|before| each.dependency && !before.dependency && before.source == entry.source)
        {
            entry.requested.clone_from(&before.requested);
            // By which of several tags one commit was found depends on who asks.
            if before.digest == entry.digest && before.commit == entry.commit {
                entry.version.clone_from(&before.version);
            }
        }
        // What was asked for once does not become a mere dependency.
        entry.dependency = each.dependency && before.is_none_or(|entry| entry.dependency);
        wish.present.push(entry);
    }
    Ok(wish)
}

/// Whether another registry has just what is locked.
fn is_same_elsewhere(before: &Locked, entry: &Locked) -> bool {
    let is_same = before.source == entry.source
        && before.digest == entry.digest
        && before.version == entry.version
        && before.origin == entry.origin;
    let other = before.other_registry(entry.origin, entry.url.as_deref());
    is_same && other.is_some()
}

//! `skillyard doctor`: skills that are locked as their source never had them.
//!
//! `sync` refuses these, whatever else is right. Nothing is fetched to find them.

use skillyard_install::lockfile::Locked;
use skillyard_install::plan::InstalledState;

use crate::install::place::Place;
use crate::install::supply::Supply;
use crate::shell::shell_word;

/// What to do about a locked skill that `sync` cannot bring here, if it is known that it cannot.
pub(super) fn remedy(
    place: &Place,
    before: &InstalledState,
    supply: &mut Supply<'_>,
    name: &str,
) -> Option<String> {
    let entry = before.lock.get(name)?;
    // What the store has is put there whatever its source says.
    if place.store.read(entry.digest).is_ok() {
        return None;
    }
    let placed = before.placed.get(name);
    let is_known = placed.is_some_and(|placed| is_same_state(placed, entry));
    if !is_known && !is_other_there(supply, entry) {
        return None;
    }
    Some(format!(
        "Its source has other files than are locked, which `sync` refuses: look who changed the lock, then take what is there with `skillyard update {} --scope {}`",
        shell_word(name),
        place.scope.kind.as_str()
    ))
}

/// Whether a lock has other bytes of the very state that was installed: of a commit, or of a version.
fn is_same_state(placed: &Locked, entry: &Locked) -> bool {
    let has_state = entry.commit.is_some() || entry.version.is_some();
    let is_same = placed.source == entry.source
        && placed.commit == entry.commit
        && placed.version == entry.version;
    has_state && is_same && placed.digest != entry.digest
}

/// Whether a source on this machine has something else, and more than the ends of lines.
fn is_other_there(supply: &mut Supply<'_>, entry: &Locked) -> bool {
    supply.locked(entry).is_ok_and(|found| {
        let plain = found.tree.with_plain_line_ends();
        ![found.tree.digest(), plain.digest()].contains(&entry.digest)
    })
}

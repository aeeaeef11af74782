//! `skillyard doctor`: skills that are revoked and still here, where other agents go on reading them,
//! or still locked, so that nobody gets them by `sync`.

use skillyard_catalog::Status;

use super::doctor::Check;
use super::doctor_install::bad;
use crate::context::Context;
use crate::install::place::Place;
use crate::install::revoked::Revoked;
use crate::installed::Installed;
use crate::library::{self, Choice, IndexMode};
use crate::signing::signers;

/// Those that a lock names; `scope` is typed behind commands.
pub(super) fn locked(context: &Context, place: &Place, scope: &str) -> Vec<Revoked> {
    // Where the lock or the policy cannot be read, another check says why.
    let lock = place.lock().unwrap_or_default();
    Revoked::among(context, place, scope, lock.skills().iter()).unwrap_or_default()
}

/// All of them: those that were found here, and those among what is locked that were not, because
/// they are switched off, lost to another skill or are in no folder.
pub(super) fn checks(context: &Context, locked: &[Revoked]) -> Vec<Check> {
    // Where there is no catalog, another check says why.
    let catalog = library::load(context, IndexMode::Use, &Choice::default());
    let catalog = catalog.unwrap_or_default();
    let installed = Installed::readable(context).unwrap_or_default();
    let skills = catalog.skills.iter().filter_map(|skill| {
        let Status::Revoked { reason } = &skill.status else {
            return None;
        };
        let (name, folder) = (&skill.record.name, &skill.record.folder);
        let message = format!("`{name}` is revoked: {reason}");
        let remedy = signers::remedy(&installed, name, folder);
        Some(bad("revoked", message, &remedy))
    });
    let mut checks: Vec<Check> = skills.collect();
    for each in locked {
        // What can be done names the skill and its scope.
        let is_same = |check: &Check| check.hint.as_deref() == Some(&each.hint);
        if !checks.iter().any(is_same) {
            let message = format!("`{}`: {}", each.name, each.described());
            checks.push(bad("revoked", message, &each.hint));
        }
    }
    checks
}

//! `skillyard doctor`: skills that are revoked and still here, where other agents go on reading them,
//! or still locked, so that nobody gets them by `sync`.

use skillyard_catalog::Status;

use crate::commands::doctor::Check;
use crate::commands::doctor::install::bad;
use crate::context::Context;
use crate::install::revoked::Revoked;
use crate::library;
use crate::library::installed::Installed;
use crate::library::{IndexMode, NameFilter, signers};
use crate::scope::ScopeContext;

/// Those that a lock names; `scope` is typed behind commands.
pub(super) fn locked(context: &Context, place: &ScopeContext, scope: &str) -> Vec<Revoked> {
    // Where the lock or the policy cannot be read, another check says why.
    let lock = place.lock().unwrap_or_default();
    Revoked::among(context, place, scope, lock.skills().iter()).unwrap_or_default()
}

/// All of them: those that were found here, and those among what is locked that were not, because
/// they are switched off, lost to another skill or are in no folder.
pub(super) fn checks(context: &Context, locked: &[Revoked]) -> Vec<Check> {
    // Where there is no catalog, another check says why.
    let catalog = library::load(context, IndexMode::Use, &NameFilter::default());
    let catalog = catalog.unwrap_or_default();
    let installed = Installed::readable(context).unwrap_or_default();
    let mut told = Vec::new();
    let mut checks = Vec::new();
    for skill in &catalog.skills {
        let Status::Revoked { reason } = &skill.status else {
            continue;
        };
        let (name, folder) = (&skill.record.name, &skill.record.folder);
        let message = format!("`{name}` is revoked: {reason}");
        // What the lock is about is known better than what lies in a folder.
        let remedy = match locked.iter().find(|each| each.folders.contains(folder)) {
            Some(each) => {
                told.push(&each.folders);
                each.hint.clone()
            }
            None => signers::remedy(&installed, name, folder),
        };
        checks.push(bad("revoked", message, &remedy));
    }
    for each in locked {
        // What can be done names the skill and its scope.
        let is_same = |check: &Check| check.hint.as_deref() == Some(&each.hint);
        if !told.contains(&&each.folders) && !checks.iter().any(is_same) {
            let message = format!("`{}`: {}", each.name, each.described());
            checks.push(bad("revoked", message, &each.hint));
        }
    }
    checks
}

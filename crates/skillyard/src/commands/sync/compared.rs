//! Whether the lock is what is wanted, and what the project itself has.

use skillyard_install::lockfile::Lockfile;
use skillyard_install::manifest::Manifest;

use super::Args;
use crate::commands::Outcome;
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::{CommandError, Status};
use crate::install::place::Place;
use crate::install::stale::{Stale, stale};
use crate::install::supply::Supply;
use crate::install::wanted::Difference;

/// What the lock does not have as it should.
pub(super) struct Compared {
    /// As skills.toml wants it.
    pub(super) difference: Difference,
    /// As it lies in the project, where that is looked at.
    pub(super) stale: Vec<Stale>,
}

impl Compared {
    /// Compares the lock, and refuses where it has to match.
    pub(super) fn of(
        args: &Args,
        place: &Place,
        lock: &Lockfile,
        supply: &mut Supply<'_>,
    ) -> Result<Self, CommandError> {
        if args.frozen {
            refuse_without_lock(place)?;
        }
        // Whoever wants both wants a lock that matches, and nothing but that.
        if args.frozen && !args.locked {
            return Ok(Self {
                difference: Difference::default(),
                stale: Vec::new(),
            });
        }
        let difference = Difference::of(lock, place, supply)?;
        if args.locked && !difference.is_empty() {
            return Err(InstallFailure::LockOutdated(difference.to_string()).into());
        }
        // What is only put into place need not be had from its source.
        let stale = if (args.locked || args.check) && !args.offline {
            stale(lock, &difference, place, supply)
        } else {
            Vec::new()
        };
        if args.locked && !stale.is_empty() {
            return Err(InstallFailure::Stale(stale).into());
        }
        Ok(Self { difference, stale })
    }
}

/// Tells of what lies in the project otherwise than it is locked; programs were told already.
pub(super) fn told(context: &Context, stale: Vec<Stale>, status: Status) -> Outcome {
    if stale.is_empty() || context.printer.is_json() {
        return Ok(status);
    }
    Err(InstallFailure::Stale(stale).into())
}

/// To go by a lock that nobody committed, or in another folder than was meant, would be to install
/// nothing, and call that a success.
fn refuse_without_lock(place: &Place) -> Result<(), CommandError> {
    let file = place.scope.lock_file();
    if file.exists() {
        return Ok(());
    }
    let names_skills = |manifest: &Manifest| !manifest.skills().is_empty();
    // Who wrote what cannot be read wanted something.
    let is_wanted = place
        .manifest()
        .map_or(true, |manifest| manifest.as_ref().is_some_and(names_skills));
    Err(InstallFailure::NoLock { file, is_wanted }.into())
}

//! What goes on being wanted beside what a command asks for.

use skillyard_install::candidate::Candidate;
use skillyard_install::dependencies::{Asker, DependencyError, KnownRequests, RequestedSkill};
use skillyard_install::lockfile::Lockfile;

use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::source_resolver::SourceResolver;
use crate::install::wanted::Difference;
use crate::scope::ScopeContext;

/// What installed skills need of each other, and what is asked for in `skills.toml`, or was by the
/// user.
pub(crate) fn known<'a>(
    lock: &'a Lockfile,
    place: &ScopeContext,
    supply: &SourceResolver<'_>,
) -> Result<KnownRequests<'a>, CommandError> {
    let mut known = KnownRequests::new(lock);
    if let Some(manifest) = place.manifest()?.filter(|_| place.has_manifest()) {
        for (name, reference) in manifest.skills() {
            let locked = lock.get(name).filter(|entry| entry.is_written(reference));
            let wanted = match locked {
                Some(entry) => Ok((entry.source.clone(), entry.requested.clone())),
                None => supply.source_written(reference),
            };
            // What cannot be read is said when it is to be installed, and limits nothing else.
            if let Ok((source, requested)) = wanted {
                known.wish(name, source, requested, Asker::Manifest);
            }
        }
        return Ok(known);
    }
    for entry in lock.skills().iter().filter(|entry| !entry.dependency) {
        let (source, requested) = (entry.source.clone(), entry.requested.clone());
        known.wish(&entry.name, source, requested, Asker::User);
    }
    Ok(known)
}

/// A skill that a command resolves again, whoever wants it.
pub(crate) fn again(
    candidate: Candidate,
    lock: &Lockfile,
    difference: &Difference,
    place: &ScopeContext,
) -> RequestedSkill {
    let asker = if place.has_manifest() {
        Asker::Manifest
    } else {
        Asker::User
    };
    let is_needed = lock
        .get(&candidate.name)
        .is_some_and(|entry| entry.dependency);
    let is_wanted = !is_needed || difference.reference(&candidate.name).is_some();
    RequestedSkill {
        candidate,
        asker: is_wanted.then_some(asker),
    }
}

/// Why skills do not go together, as the reason for which a command fails.
pub(crate) fn unresolved(error: DependencyError<CommandError>) -> CommandError {
    InstallFailure::Dependencies(Box::new(error)).into()
}

//! Skills under another name than their own.

use skillyard_format::SkillName;
use skillyard_install::candidate::{Candidate, CandidateError};
use skillyard_install::lockfile::Locked;

use crate::error::CommandError;
use crate::error::install::InstallFailure;

/// A skill under a name that somebody chose: its own, or one that is valid.
pub(crate) fn named(candidate: Candidate, name: &str) -> Result<Candidate, CommandError> {
    if candidate.name == name {
        return Ok(candidate);
    }
    let name = valid_name(name)?;
    renamed(&candidate, candidate.renamed(&name))
}

/// A name that can be given to a skill.
pub(crate) fn valid_name(name: &str) -> Result<SkillName, CommandError> {
    SkillName::new(name).map_err(|problem| CommandError::Name {
        name: name.to_owned(),
        problem,
        proposal: SkillName::from_text(name).map(|name| name.to_string()),
    })
}

fn renamed(
    candidate: &Candidate,
    renamed: Result<Candidate, CandidateError>,
) -> Result<Candidate, CommandError> {
    Ok(renamed.map_err(|source| InstallFailure::Candidate {
        name: candidate.name.clone(),
        source,
    })?)
}

/// A skill under the name and the source that the lock has for it.
pub(crate) fn as_locked(candidate: Candidate, entry: &Locked) -> Result<Candidate, CommandError> {
    let mut candidate = under(candidate, &entry.name, &entry.source)?;
    candidate.requested.clone_from(&entry.requested);
    Ok(candidate)
}

/// A skill under a name that it has already here, and the source it is known by.
pub(crate) fn under(
    candidate: Candidate,
    name: &str,
    source: &str,
) -> Result<Candidate, CommandError> {
    let mut candidate = if candidate.name == name {
        candidate
    } else {
        renamed(&candidate, candidate.under(name))?
    };
    source.clone_into(&mut candidate.source);
    Ok(candidate)
}

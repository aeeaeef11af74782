//! The newest state of installed skills, as their sources have it.

use std::fmt::Write as _;

use skillyard_install::candidate::Candidate;
use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::reference::Reference;

use super::renaming::as_locked;
use super::stale::is_checked_out;
use super::wanted::{Difference, asked};
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::{CommandError, ExitStatus};
use crate::install::source_resolver::SourceResolver;
use crate::text::sanitize::visible;

/// What commands end with that have no answer.
const UNANSWERED: u8 = 2;

/// A skill whose source did not give it.
#[derive(Debug, Clone, serde::Serialize)]
pub(crate) struct Failed {
    pub(crate) name: String,
    reason: String,
    /// What can be done about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// Whether it could not be asked; otherwise it said no.
    #[serde(skip)]
    is_unasked: bool,
}

impl Failed {
    pub(crate) fn new(context: &Context, name: &str, error: &CommandError) -> Self {
        // The skill is named beside it.
        let reason = match error {
            CommandError::Install(InstallFailure::Unavailable { source, .. }) => &**source,
            error => error,
        };
        Self {
            name: name.to_owned(),
            reason: reason.with_causes(),
            hint: error.hint().map(|hint| context.scoped(&hint)),
            is_unasked: error.code() == UNANSWERED,
        }
    }

    /// The status of a command that asked for `count` skills: where the source of none of them could be
    /// asked, there is no answer.
    pub(crate) fn status_of(failed: &[Self], count: usize, status: ExitStatus) -> ExitStatus {
        let is_unasked = |each: &Self| each.is_unasked;
        if count > 0 && failed.len() == count && failed.iter().all(is_unasked) {
            return ExitStatus::Code(UNANSWERED);
        }
        status
    }

    pub(crate) fn tell(&self, context: &Context) {
        let mut text = format!(" ! {}: {}", self.name, self.reason);
        if let Some(hint) = &self.hint {
            let _ = write!(text, " ({hint})");
        }
        context.printer.people(&visible(&text));
    }
}

/// The newest state of what is asked for, under the name it is or will be installed by; `within` is
/// what others leave of the versions of an installed skill.
pub(crate) fn newest(
    supply: &mut SourceResolver<'_>,
    lock: &Lockfile,
    difference: &Difference,
    name: &str,
    within: Option<&str>,
) -> Result<Candidate, CommandError> {
    match (difference.reference(name), lock.get(name)) {
        (Some(reference), _) => asked(supply, name, reference),
        (None, Some(entry)) => {
            let reference = reference_of(supply, entry, within)?;
            let found = supply.one(&reference);
            let found =
                found.map_err(|error| supply.unavailable(name, &reference, Some(entry), error))?;
            as_locked(as_committed(found, entry), entry)
        }
        (None, None) => Err(InstallFailure::not_installed(lock, name).into()),
    }
}

/// What lies in a checkout as its repository has it: a git that writes CRLF there has not made a newer
/// state of it, and nobody else would have those bytes.
fn as_committed(mut found: Candidate, entry: &Locked) -> Candidate {
    let locked = entry.delivered_as.unwrap_or(entry.digest);
    if is_checked_out(&entry.source) && found.tree.digest() != locked {
        let plain = found.tree.with_plain_line_ends();
        if plain.digest() == locked {
            found.tree = plain.into();
        }
    }
    found
}

/// Refuses what is newer in another registry than a skill was locked from: nobody said that its name
/// means the same there.
pub(crate) fn refuse_other_registry(
    candidate: &Candidate,
    entry: Option<&Locked>,
) -> Result<(), CommandError> {
    let origin = &candidate.origin;
    let is_other = |entry: &&Locked| {
        entry.digest != candidate.tree.digest() && entry.source == candidate.source
    };
    let locked = entry.filter(is_other);
    let locked = locked.and_then(|entry| entry.other_registry(origin.kind, Some(&origin.url)));
    locked.map_or(Ok(()), |locked| {
        Err(InstallFailure::OtherRegistry {
            name: candidate.name.clone(),
            locked: locked.to_owned(),
            asked: origin.url.clone(),
        }
        .into())
    })
}

/// Tells the sources that [`newest`] will be asked for each of these.
pub(crate) fn expect<'a>(
    supply: &mut SourceResolver<'_>,
    lock: &Lockfile,
    difference: &Difference,
    names: impl Iterator<Item = (&'a str, Option<&'a str>)>,
) {
    let references =
        names.filter_map(
            |(name, within)| match (difference.reference(name), lock.get(name)) {
                (Some(reference), _) => supply.wanted(reference).ok(),
                (None, Some(entry)) => reference_of(supply, entry, within).ok(),
                (None, None) => None,
            },
        );
    let references: Vec<Reference> = references.collect();
    supply.expect(&references);
}

/// What an installed skill is looked for by.
fn reference_of(
    supply: &SourceResolver<'_>,
    entry: &Locked,
    within: Option<&str>,
) -> Result<Reference, CommandError> {
    let state = within.or(entry.requested.as_deref());
    supply.source_at(&entry.source, state)
}

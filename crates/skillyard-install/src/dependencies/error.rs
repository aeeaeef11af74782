//! Why skills do not go together.

use std::sync::Arc;

use crate::candidate::Candidate;

/// Why skills do not go together.
#[derive(Debug, thiserror::Error)]
pub enum DependencyError<E> {
    /// One cannot be had.
    #[error("{chain} needs `{reference}`, which cannot be had")]
    Fetch {
        /// Who needs it.
        chain: String,
        /// What is needed.
        reference: String,
        /// Why it cannot be had.
        source: Arc<E>,
    },
    /// No version is what all want who want it.
    #[error("`{name}` cannot be had in a version that fits all who want it: {}", .wanted.join(", "))]
    Versions {
        /// The name.
        name: String,
        /// What each of them wants, in words.
        wanted: Vec<String>,
        /// What its source says, if it was asked.
        source: Option<Arc<E>>,
    },
    /// Two different skills of one name.
    #[error(
        "`{name}` is needed from two sources: {first} from {first_source}, {second} from {second_source}"
    )]
    Conflict {
        /// The name.
        name: String,
        /// Who needs the first.
        first: String,
        /// Where it comes from.
        first_source: String,
        /// Who needs the second.
        second: String,
        /// Where it comes from.
        second_source: String,
    },
    /// An installed skill that stays as it is, and is needed otherwise.
    #[error("{chain} needs `{reference}`, and `{there}` stays, because something is in its way")]
    Held {
        /// Who needs it.
        chain: String,
        /// The name.
        name: String,
        /// What is needed.
        reference: String,
        /// What is installed.
        there: String,
    },
    /// A skill that needs itself.
    #[error("these skills need each other in a circle: `{}`", .0.join("` → `"))]
    Circle(Vec<String>),
    /// A stranger names a path of this machine.
    #[error("{chain} was fetched and may not name `{reference}`, a path of this machine")]
    Local {
        /// Who names it.
        chain: String,
        /// The path.
        reference: String,
    },
    /// A stranger names what answers only on this machine, or around it.
    #[error("{chain} came from elsewhere and may not name `{reference}`, which is {place}")]
    Inward {
        /// Who names it.
        chain: String,
        /// The address.
        reference: String,
        /// Where that is.
        place: &'static str,
    },
    /// So many versions disagree that not all ways were tried.
    #[error("no versions that go together were found, and there are too many to try all: {reason}")]
    GivenUp {
        /// What does not go together in the newest versions.
        reason: String,
    },
    /// Far too many.
    #[error("more than {most} skills would come along, the last of them as {chain}")]
    TooMany {
        /// The most that may.
        most: usize,
        /// How the next one is come to.
        chain: String,
    },
    /// A chain that may have no end.
    #[error("skills need one another more than {most} deep: {chain}")]
    TooDeep {
        /// The most that may.
        most: usize,
        /// The chain.
        chain: String,
    },
}

/// Where a skill comes from, with its version or commit.
pub(super) fn described(candidate: &Candidate) -> String {
    let revision = candidate
        .origin
        .version
        .as_ref()
        .or(candidate.origin.commit.as_ref());
    match revision {
        Some(revision) => format!("`{}` ({})", candidate.source, short(revision)),
        None => format!("`{}`", candidate.source),
    }
}

/// A commit as people write it.
fn short(revision: &str) -> &str {
    revision
        .get(..12)
        .filter(|_| revision.len() >= 40)
        .unwrap_or(revision)
}

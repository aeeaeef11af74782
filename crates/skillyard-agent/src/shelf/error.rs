//! Why a skill cannot be given.

use skillyard_catalog::resource::ResourceError;
use skillyard_format::Digest;

use super::Withheld;

/// Why a skill cannot be given.
#[derive(Debug, thiserror::Error)]
pub enum ShelfError {
    /// There is no such skill here.
    #[error("there is no skill `{name}`{}", nearest.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    Unknown {
        /// What was asked for.
        name: String,
        /// A name like it.
        nearest: Option<String>,
    },
    /// It is here, and something keeps it from being used.
    #[error("skill `{name}` cannot be used: {}", why.reason)]
    Withheld {
        /// The skill.
        name: String,
        /// What keeps it.
        why: Withheld,
    },
    /// Its author wants one kind of caller only.
    #[error("skill `{name}` can only be activated by {who}")]
    NotFor {
        /// The skill.
        name: String,
        /// Who may.
        who: &'static str,
    },
    /// A file cannot be read.
    #[error(transparent)]
    Resource(#[from] ResourceError),
    /// Its files cannot be hashed, so that nobody could say what was given.
    #[error("skill `{name}` cannot be used: its files cannot be hashed: {reason}")]
    Unhashable {
        /// The skill.
        name: String,
        /// Why they cannot.
        reason: String,
    },
    /// It is not a skill any more.
    #[error("the `SKILL.md` of skill `{0}` cannot be understood")]
    Unreadable(String),
    /// The server that publishes it does not give it.
    #[error("skill `{name}` cannot be had from its server: {problem}")]
    Unpublished {
        /// The skill.
        name: String,
        /// Why.
        problem: String,
    },
    /// Its files are not those that are locked.
    #[error(
        "skill `{name}` is not as it is locked: its files are {now}, and {installed} is locked"
    )]
    Altered {
        /// The skill.
        name: String,
        /// What its files are.
        now: Digest,
        /// What was installed.
        installed: Digest,
        /// What the user can do about it.
        remedy: String,
    },
    /// It changed between two looks.
    #[error("skill `{0}` changed while it was read")]
    Changed(String),
    /// Its instructions are longer than is allowed.
    #[error("the `SKILL.md` of skill `{name}` has more than {limit} bytes")]
    TooLong {
        /// The skill.
        name: String,
        /// The limit.
        limit: u64,
    },
}

//! Why a forge gave nothing.

use crate::fetch::http::HttpError;

/// Why a forge gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum ForgeError {
    /// The repository is missing, or private.
    #[error("`{project}` does not exist on {forge}, or is private{}", if *.authenticated { " to this token" } else { "" })]
    NotFound {
        /// The repository.
        project: String,
        /// The forge.
        forge: String,
        /// Whether a token was sent.
        authenticated: bool,
    },
    /// The token is refused.
    #[error("{forge} refuses the token it was sent")]
    Unauthorized {
        /// The forge.
        forge: String,
    },
    /// The forge wants fewer requests.
    #[error("{forge} allows no more requests for now{}", if *.authenticated { "" } else { "; with a token it allows many more" })]
    RateLimited {
        /// The forge.
        forge: String,
        /// Whether a token was sent.
        authenticated: bool,
        /// What it answered.
        source: HttpError,
    },
    /// The repository has no such branch, tag or commit.
    #[error("`{project}` has no branch, tag or commit `{revision}`")]
    NoRevision {
        /// The repository.
        project: String,
        /// What was asked for.
        revision: String,
    },
    /// No tag fits the requirement.
    #[error("`{project}` has no tag that fits `{requirement}`{}", highest(.tags))]
    NoTag {
        /// The repository.
        project: String,
        /// What was asked for.
        requirement: String,
        /// The highest tags that are versions.
        tags: Vec<String>,
    },
    /// The forge answered something else than was asked for.
    #[error("{forge} gave no commit for `{revision}` of `{project}`")]
    NoCommit {
        /// The forge.
        forge: String,
        /// The repository.
        project: String,
        /// What was asked for.
        revision: String,
    },
    /// A request failed.
    #[error(transparent)]
    Http(#[from] HttpError),
}

fn highest(tags: &[String]) -> String {
    match tags {
        [] => "; it has no tags that are versions".to_owned(),
        tags => format!("; the highest are `{}`", tags.join("`, `")),
    }
}

//! Why git did not answer.

use crate::fetch::http::HttpError;

/// Why git did not answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// It is not installed.
    #[error("the program `git` was not found")]
    Missing,
    /// It could not be started, or the quarantine could not be written.
    #[error("cannot run git")]
    Run(#[source] std::io::Error),
    /// It failed.
    #[error("git could not {what}: {message}")]
    Failed {
        /// What it was to do.
        what: &'static str,
        /// What it said.
        message: String,
    },
    /// There is no such branch, tag or commit.
    #[error("`{url}` has no branch, tag or commit `{wanted}`")]
    NoRevision {
        /// The repository.
        url: String,
        /// What was asked for.
        wanted: String,
        /// The nearest that exists.
        nearest: Option<String>,
    },
    /// The first digits of a commit are those of several.
    #[error("`{url}` has several commits that start with `{wanted}`: {}", commits.join(", "))]
    Ambiguous {
        /// The repository.
        url: String,
        /// What was asked for.
        wanted: String,
        /// Some that fit.
        commits: Vec<String>,
    },
    /// No tag has a version that fits.
    #[error("`{url}` has no tag with a version that fits `{wanted}`")]
    NoVersion {
        /// The repository.
        url: String,
        /// What was asked for.
        wanted: String,
        /// The newest version there is.
        newest: Option<String>,
    },
    /// What was asked for is there, and is no state of the repository.
    #[error("`{0}` names no commit")]
    NotACommit(String),
    /// The path is not in the repository.
    #[error("there is no folder `{path}` in commit {commit}")]
    NoFolder {
        /// The path.
        path: String,
        /// The commit.
        commit: String,
    },
    /// What was named is a link of the repository, or lies behind one.
    #[error("`{path}` is a link to `{to}`, and links of a repository are not followed")]
    Link {
        /// The link.
        path: String,
        /// Where it leads.
        to: String,
        /// The folder that was meant, if the repository has it.
        folder: Option<String>,
    },
    /// What was named is a submodule, or lies in one.
    #[error("`{0}` is a submodule, whose files are in another repository")]
    Submodule(String),
    /// The server does not stop sending.
    #[error("more than {0} bytes came, and that was not all")]
    TooLarge(u64),
    /// The server fell silent.
    #[error("git could not {what}: nothing came for {seconds} seconds")]
    Silent {
        /// What it was to do.
        what: &'static str,
        /// How long it was waited for.
        seconds: u64,
    },
    /// The server sends us where we may not go.
    #[error(transparent)]
    Redirect(HttpError),
    /// The server sends us to another host, which may not see who we are.
    #[error("the repository has moved to `{0}`, on another host, where your login is not sent")]
    Elsewhere(String),
    /// A server or a repository has more than fits into the memory that git may have.
    #[error(
        "git could not {what}: it needed more than the {limit} bytes of memory that it may have"
    )]
    Memory {
        /// What it was to do.
        what: &'static str,
        /// The most that it may have.
        limit: u64,
    },
    /// A repository has more to list than anybody can mean.
    #[error("git could not {what}: they are more than {limit} bytes")]
    TooMuch {
        /// What it was to do.
        what: &'static str,
        /// The most that is read.
        limit: u64,
    },
    /// A commit has more files than anybody can mean.
    #[error("the commit has more than {0} files")]
    TooMany(usize),
    /// A folder has more repositories in it than anybody can mean.
    #[error("there are more than {0} repositories in one skill")]
    TooManyRepositories(usize),
    /// A folder lies where git's answers could not be understood.
    #[error("the path of the folder in it is no text")]
    NotText,
    /// A folder has more in it than can be looked through.
    #[error("there are more than {0} files and folders, among which repositories may be")]
    TooManyEntries(usize),
    /// What git answered cannot be understood.
    #[error("git answered something unexpected about {0}")]
    Answer(&'static str),
    /// A skill holds something that is not a file.
    #[error("`{path}` is {kind}, and a skill may hold only files and folders")]
    NotAFile {
        /// Where it is in the repository.
        path: String,
        /// What it is.
        kind: &'static str,
    },
    /// The files of a skill cannot be taken together.
    #[error(transparent)]
    Tree(#[from] crate::tree::TreeError),
}

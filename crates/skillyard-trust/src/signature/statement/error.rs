//! Why a statement says nothing about a skill.

use super::MAX_RESOURCES;
use crate::signature::change::{Change, told};
use crate::signature::dsse::EnvelopeError;

/// Why a statement says nothing about a skill.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StatementError {
    /// The JSON and its fields.
    #[error("its statement is not whole: {0}")]
    Form(#[from] EnvelopeError),
    /// Another kind of statement.
    #[error("its statement is a `{found}`, and `{expected}` is expected")]
    Kind {
        /// What it says.
        found: String,
        /// What it should say.
        expected: &'static str,
    },
    /// Not exactly one subject.
    #[error("its statement is about {0} subjects, and exactly one is expected")]
    Subjects(usize),
    /// A statement about nothing, or about too much.
    #[error("it lists {0} files, and 1 to {MAX_RESOURCES} are expected")]
    Resources(usize),
    /// A file that is not hashed as a whole with SHA-256.
    #[error("it uses `{0}`, and every file must be listed whole with its SHA-256")]
    Method(String),
    /// A name that is no plain path within the skill.
    #[error("it lists the path {0:?}, which is not a plain path within the skill")]
    Path(String),
    /// A file that stands twice.
    #[error("it lists `{0}` twice")]
    Repeated(String),
    /// A subject that is not made of the files.
    #[error("its subject digest is not that of the files it lists")]
    SubjectDigest,
    /// Something that cannot be signed is in the folder.
    #[error("`{0}` is not a regular file, and no signature can cover it")]
    Irregular(String),
    /// A file that no statement can list is in the folder.
    #[error("the name of `{0}` is not plain text, and no signature can cover it")]
    Nameless(String),
    /// The files are not those that were signed.
    #[error("the files are not those that were signed: {}", told(.0))]
    Changed(Vec<Change>),
    /// Only what Model Signing does not see is another.
    #[error("an executable bit or one of git's files is not as it was signed")]
    TreeDigest,
    /// The skill goes by another name.
    #[error("it was made for the skill `{signed}`, and this one is called `{found}`")]
    Name {
        /// The name that was signed.
        signed: String,
        /// The name it has here.
        found: String,
    },
    /// The version is another.
    #[error("it was made for another version than the one in `SKILL.md`")]
    Version,
    /// There is no name to compare.
    #[error("the skill has no `SKILL.md` with a name")]
    NoName,
}

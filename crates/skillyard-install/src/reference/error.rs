//! Why a text is no reference, with the fix.
//!
//! No message repeats a password or token: texts pass through `shown` first.

use skillyard_format::name::NameProblem;
use skillyard_format::qualified::QualifiedProblem;

/// Why a text is no reference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// There is no character at all.
    #[error("a reference is needed, such as `./folder`, `name` or `owner/repository`")]
    Empty,
    /// The text is longer than any reference needs to be.
    #[error("the reference has {length} bytes, and at most {limit} are allowed")]
    TooLong {
        /// Its length in bytes.
        length: usize,
        /// The most there may be.
        limit: usize,
    },
    /// A character cannot be seen, or changes how others are seen.
    #[error("`{text}` contains the invisible character {character}")]
    Invisible {
        /// The text, with the character escaped.
        text: String,
        /// The character, as `U+….`.
        character: String,
    },
    /// A remote reference contains a space.
    #[error("`{text}` contains a space; one in a path is written `%20`")]
    Space {
        /// The text.
        text: String,
    },
    /// A remote reference contains a letter that may look like another one.
    #[error(
        "`{text}` contains {character}, which is not ASCII and may look like another character"
    )]
    NotAscii {
        /// The text.
        text: String,
        /// The character and its code.
        character: String,
    },
    /// The scheme is not known.
    #[error("`{scheme}:` is no known kind of source{}", did_you_mean(.nearest.as_deref()))]
    UnknownScheme {
        /// The part before the colon.
        scheme: String,
        /// The nearest that is known.
        nearest: Option<String>,
    },
    /// A transport of git that starts programs.
    #[error(
        "`{transport}` is a transport of git that starts programs; use `https://`, `ssh://` or `file://`"
    )]
    Transport {
        /// The part before the colons.
        transport: String,
    },
    /// A bare `a/b` is on GitHub, and a folder has the same name.
    #[error("`{text}` could be a folder or a repository; write `./{text}` or `github:{text}`")]
    Ambiguous {
        /// The text.
        text: String,
    },
    /// The alias is one of registries, or of forges, and the rest fits the other.
    #[error("`{alias}` is {kind}, so the reference is written `{alias}:{form}`")]
    AliasForm {
        /// The alias.
        alias: String,
        /// What the alias stands for.
        kind: &'static str,
        /// What may follow the colon.
        form: &'static str,
    },
    /// An owner, group or repository has a name that no forge gives out.
    #[error("`{segment}` in `{text}` cannot be the name of an owner or repository")]
    ForgeName {
        /// The name.
        segment: String,
        /// The whole text.
        text: String,
    },
    /// A forge was named without owner and repository.
    #[error("`{text}` names no repository; one is written `{form}`")]
    NoRepository {
        /// The text.
        text: String,
        /// How it is written.
        form: String,
    },
    /// A path inside a source leads elsewhere or cannot be stored.
    #[error("the path `{path}` {problem}")]
    Path {
        /// The path.
        path: String,
        /// What is wrong with it.
        problem: PathProblem,
    },
    /// A branch, tag or commit has a name that git refuses.
    #[error("`{revision}` cannot be a branch, tag, commit or version: {problem}")]
    Revision {
        /// The text.
        revision: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A skill has a name that no skill can have.
    #[error("`{name}` is not a valid skill name: {problem}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        problem: NameProblem,
    },
    /// A name in a namespace cannot be read.
    #[error("`{text}` names nothing in a registry: {problem}")]
    Namespace {
        /// The text.
        text: String,
        /// What is wrong with it.
        problem: QualifiedProblem,
    },
    /// A version requirement cannot be read.
    #[error(
        "`{requirement}` is no version requirement, such as `1.2`, `^1`, `>=1, <2`, `latest` or `beta`: {problem}"
    )]
    Requirement {
        /// The text.
        requirement: String,
        /// What is wrong with it.
        problem: String,
    },
    /// What is referred to has no versions to choose from.
    #[error("`{reference}` has no branches, tags or versions to choose from")]
    NoRevisions {
        /// The reference.
        reference: String,
    },
    /// An address cannot be read.
    #[error("`{text}` is not a valid address: {problem}")]
    Address {
        /// The text, without secrets.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// Why a path inside a source is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathProblem {
    /// It has no characters, or two slashes in a row.
    #[error("has an empty part")]
    EmptyPart,
    /// It starts at the root of the file system.
    #[error("is absolute; it must be relative to the source")]
    Absolute,
    /// A part is `..`.
    #[error("contains `..`")]
    Parent,
    /// A part consists of dots and spaces, or ends in one.
    #[error("has a part that ends in a dot or space")]
    DotOrSpace,
    /// A part starts with a hyphen, so a program could take it for an option.
    #[error("has a part that starts with a hyphen")]
    Hyphen,
    /// A part is the folder that git keeps its data in.
    #[error("leads into `.git`")]
    Git,
    /// A part is a device on Windows.
    #[error("contains a name that is a device on Windows")]
    Device,
    /// It has a character that some file system cannot store.
    #[error("contains the character {0:?}")]
    Character(char),
    /// It is longer than file systems allow.
    #[error("is too long")]
    TooLong,
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(
        || "; name an alias in the configuration, or write `./` before a path".to_owned(),
        |nearest| format!("; did you mean `{nearest}:`?"),
    )
}

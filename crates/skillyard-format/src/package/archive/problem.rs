//! What can be wrong with one entry of an archive, apart from the archive's own structure.

/// Why an entry is refused; reads on from "archive entry `name`".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryProblem {
    /// `..` leads out.
    #[error("escapes the skill folder")]
    Escapes,
    /// It starts with `/`.
    #[error("has an absolute path")]
    Absolute,
    /// `C:` or `\\server`.
    #[error("names a drive or a network share")]
    Drive,
    /// `\` separates on some systems and not on others.
    #[error("has a backslash in its path")]
    Backslash,
    /// `.`, `a/../b`, `a//b`, a file with a slash at its end.
    #[error("has a path that is not in its plain form")]
    NotCanonical,
    /// No name at all.
    #[error("has an empty name")]
    EmptyName,
    /// A symbolic link, wherever it leads.
    #[error("is a symbolic link, and skills have none")]
    Symlink,
    /// A hard link, wherever it leads.
    #[error("is a hard link, and skills have none")]
    HardLink,
    /// A device, a pipe, a socket and the like.
    #[error("is {0}, not a file or a folder")]
    Special(&'static str),
    /// A file with holes, whose size is a claim.
    #[error("is a sparse file")]
    Sparse,
    /// Setuid, setgid or sticky.
    #[error("carries a setuid, setgid or sticky bit")]
    SpecialMode,
    /// The same path twice.
    #[error("is there twice")]
    Duplicate,
    /// Two paths that are one where case or Unicode form do not count.
    #[error("is the same as `{0}` on systems that ignore case or Unicode form")]
    Collision(String),
    /// A path that is a file here and a folder there.
    #[error("is a file and a folder at once")]
    FileAndFolder,
    /// `CON`, `NUL` and the like.
    #[error("has a name that is a device on Windows")]
    ReservedName,
    /// `a:b` writes to a hidden stream of `a` on Windows.
    #[error("has a colon in its name, which opens a hidden stream on Windows")]
    AlternateStream,
    /// `<`, `>`, `"`, `|`, `?` or `*`.
    #[error("has `{0}` in its name, which Windows cannot write")]
    ReservedCharacter(char),
    /// Windows drops these, so that the name becomes another.
    #[error("has a name that ends in a dot or a space")]
    TrailingDotOrSpace,
    /// A control character, NUL and line ends included.
    #[error("has a control character in its name")]
    ControlCharacter,
    /// Characters that cannot be seen or that turn the text around.
    #[error("has the invisible or direction-changing character U+{code:04X} in its name", code = *.0 as u32)]
    InvisibleCharacter(char),
    /// Looks like `SKILL.md`, `..` or a separator, and is not.
    #[error("has a name that passes for `{0}`")]
    Lookalike(&'static str),
    /// The bytes are not UTF-8.
    #[error("has a name that is not UTF-8")]
    NotUtf8,
    /// Bytes beyond ASCII in a zip that neither says nor implies that they are UTF-8.
    #[error("has a name beyond ASCII without the mark that it is UTF-8")]
    UnmarkedEncoding,
    /// The Unicode path field says something else than the name.
    #[error("has two names that differ")]
    TwoNames,
    /// Too many bytes in the path.
    #[error("has a path of {actual} bytes; at most {limit} are accepted")]
    PathTooLong {
        /// The path's length.
        actual: usize,
        /// The limit.
        limit: usize,
    },
    /// Too many bytes in one name.
    #[error("has a name of {actual} bytes in its path; at most {limit} are accepted")]
    ComponentTooLong {
        /// The name's length.
        actual: usize,
        /// The limit.
        limit: usize,
    },
    /// Too many folders.
    #[error("is {actual} folders deep; at most {limit} are accepted")]
    TooDeep {
        /// Names in the path.
        actual: usize,
        /// The limit.
        limit: usize,
    },
    /// More bytes than one file may have.
    #[error("has {actual} bytes; at most {limit} are accepted in one file")]
    FileTooLarge {
        /// Its size.
        actual: u64,
        /// The limit.
        limit: u64,
    },
    /// A bomb.
    #[error("grows more than {limit} times when it is unpacked")]
    Ratio {
        /// The limit.
        limit: u64,
    },
    /// The content is longer or shorter than the header says.
    #[error("is not as large as its header says")]
    SizeLie,
    /// The content has another checksum than the header says.
    #[error("has content that does not match its checksum")]
    Checksum,
    /// The compressed data cannot be read.
    #[error("has damaged content")]
    Damaged,
    /// A folder or a link with bytes of its own.
    #[error("is a folder or a link, yet has content")]
    UnexpectedContent,
    /// A password is needed.
    #[error("is encrypted")]
    Encrypted,
    /// Neither stored nor deflated, or a flag that is not known.
    #[error("uses {0}, which is not supported")]
    Unsupported(&'static str),
    /// Attributes and name do not agree on what it is.
    #[error("is a folder by its name and not by its attributes, or the other way round")]
    KindMismatch,
}

impl EntryProblem {
    /// A short, stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Escapes => "entry-escapes",
            Self::Absolute => "entry-absolute",
            Self::Drive => "entry-drive",
            Self::Backslash => "entry-backslash",
            Self::NotCanonical => "entry-not-canonical",
            Self::EmptyName => "entry-empty-name",
            Self::Symlink => "entry-symlink",
            Self::HardLink => "entry-hard-link",
            Self::Special(_) => "entry-special",
            Self::Sparse => "entry-sparse",
            Self::SpecialMode => "entry-special-mode",
            Self::Duplicate => "entry-duplicate",
            Self::Collision(_) => "entry-collision",
            Self::FileAndFolder => "entry-file-and-folder",
            Self::ReservedName => "entry-reserved-name",
            Self::AlternateStream => "entry-alternate-stream",
            Self::ReservedCharacter(_) => "entry-reserved-character",
            Self::TrailingDotOrSpace => "entry-trailing-dot-or-space",
            Self::ControlCharacter => "entry-control-character",
            Self::InvisibleCharacter(_) => "entry-invisible-character",
            Self::Lookalike(_) => "entry-lookalike",
            Self::NotUtf8 => "entry-not-utf8",
            Self::UnmarkedEncoding => "entry-unmarked-encoding",
            Self::TwoNames => "entry-two-names",
            Self::PathTooLong { .. } => "entry-path-too-long",
            Self::ComponentTooLong { .. } => "entry-name-too-long",
            Self::TooDeep { .. } => "entry-too-deep",
            Self::FileTooLarge { .. } => "entry-too-large",
            Self::Ratio { .. } => "entry-ratio",
            Self::SizeLie => "entry-size-lie",
            Self::Checksum => "entry-checksum",
            Self::Damaged => "entry-damaged",
            Self::UnexpectedContent => "entry-unexpected-content",
            Self::Encrypted => "entry-encrypted",
            Self::Unsupported(_) => "entry-unsupported",
            Self::KindMismatch => "entry-kind-mismatch",
        }
    }

    /// Whether leaving the entry out does away with the problem.
    ///
    /// Links, names that not every system can hold and test data that shrinks to
    /// nothing are normal somewhere in a repository. Anything else says that the archive was made to deceive.
    pub fn is_blemish(&self) -> bool {
        matches!(
            self,
            Self::Symlink
                | Self::Backslash
                | Self::Collision(_)
                | Self::ReservedName
                | Self::AlternateStream
                | Self::ReservedCharacter(_)
                | Self::TrailingDotOrSpace
                | Self::ControlCharacter
                | Self::InvisibleCharacter(_)
                | Self::Lookalike(_)
                | Self::NotUtf8
                | Self::PathTooLong { .. }
                | Self::ComponentTooLong { .. }
                | Self::TooDeep { .. }
                | Self::Ratio { .. }
        )
    }
}

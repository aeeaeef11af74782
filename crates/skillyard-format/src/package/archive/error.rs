//! Why an archive was refused, each class with a code that stays.

use std::io;

use crate::package::archive::ArchiveFormat;
use crate::package::archive::listing::ShapeProblem;

/// Most characters of an entry's name that an error repeats.
const NAME_SHOWN: usize = 200;

/// Why an archive was refused. Names are as the archive has them: make them safe before printing.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// Neither zip nor tar, plain or compressed.
    #[error("this is not a zip or tar archive")]
    UnknownFormat,
    /// A compression that is not read.
    #[error("this is compressed with {0}, which is not read")]
    Compression(&'static str),
    /// One tool would read it as this, another as that.
    #[error("this can be read as two kinds of archive")]
    TwoFormats,
    /// One entry breaks a rule.
    #[error("archive entry `{name}` {problem}")]
    ArchiveEntry {
        /// The entry's name, shortened when very long.
        name: String,
        /// The rule.
        problem: EntryProblem,
    },
    /// The archive as a whole is over a limit.
    #[error("the archive {0}")]
    Limit(LimitProblem),
    /// The structure of a zip is broken or can be read in two ways.
    #[error("the zip archive {0}")]
    Zip(ZipProblem),
    /// The structure of a tar is broken or can be read in two ways.
    #[error("the tar archive {0}")]
    Tar(TarProblem),
    /// The archive ends too early.
    #[error("the archive is cut short")]
    Truncated,
    /// Something comes after the archive's end.
    #[error("the archive is followed by other data")]
    TrailingData,
    /// A second compressed stream after the first.
    #[error("the archive holds a second compressed stream after the first")]
    SecondStream,
    /// What was compressed is an archive that was compressed before.
    #[error("the archive is compressed twice: what is unpacked from it is `{0}`")]
    Twice(ArchiveFormat),
    /// The compressed stream cannot be read.
    #[error("the compressed data is damaged")]
    Damaged,
    /// The compressed stream has a header field that tools read differently or not at all.
    #[error("the compressed data has an unusual header")]
    StreamHeader,
    /// Files and folders are not those of a skill or of a repository.
    #[error("the archive {0}")]
    Shape(ShapeProblem),
    /// The second reading gave something else than the first.
    #[error("the archive changed while it was read")]
    Changed,
    /// The archive could not be read.
    #[error("the archive could not be read")]
    Read(#[source] io::Error),
    /// The receiver of the files failed.
    #[error("`{path}` could not be written")]
    Sink {
        /// The file.
        path: String,
        /// What the receiver said.
        source: io::Error,
    },
}

/// A limit of the whole archive; reads on from "the archive".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitProblem {
    /// The file itself.
    #[error("is larger than {limit} bytes")]
    ArchiveBytes {
        /// The limit.
        limit: u64,
    },
    /// Everything unpacked.
    #[error("unpacks to more than {limit} bytes")]
    TotalBytes {
        /// The limit.
        limit: u64,
    },
    /// Entries of every kind.
    #[error("has more than {limit} entries")]
    Entries {
        /// The limit.
        limit: u64,
    },
    /// Files that would be delivered.
    #[error("has more than {limit} files")]
    Files {
        /// The limit.
        limit: u64,
    },
    /// All paths together.
    #[error("has more than {limit} bytes of file names")]
    NamesBytes {
        /// The limit.
        limit: u64,
    },
    /// A bomb.
    #[error("grows more than {limit} times when it is unpacked")]
    Ratio {
        /// The limit.
        limit: u64,
    },
}

/// What is wrong with a zip's structure; reads on from "the zip archive".
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ZipProblem {
    /// Other data before the first entry: a script, a program, a document.
    #[error("has other data before its first entry")]
    Prefix,
    /// Two end records: two archives in one file.
    #[error("has two ends, so that tools disagree on what it holds")]
    TwoEnds,
    /// The end record does not fit the directory.
    #[error("has an end record that does not fit its directory")]
    End,
    /// The 64-bit fields do not fit the others.
    #[error("has 64-bit fields that do not fit the others")]
    Zip64,
    /// The directory cannot be read.
    #[error("has a damaged directory")]
    Directory,
    /// It is one part of many.
    #[error("is spread over several disks")]
    MultiDisk,
    /// A file's own header says something else than the directory.
    #[error("has a header that differs from its directory")]
    HeaderMismatch,
    /// Two entries share bytes.
    #[error("has entries that overlap")]
    Overlap,
    /// Bytes that no entry owns.
    #[error("has data between its entries")]
    Gap,
    /// An extra field cannot be read.
    #[error("has a malformed extra field")]
    ExtraField,
}

/// What is wrong with a tar's structure; reads on from "the tar archive".
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TarProblem {
    /// The checksum of a header.
    #[error("has a header with a wrong checksum")]
    Checksum,
    /// Not a header of a known form.
    #[error("has a header that is not of a known form")]
    Header,
    /// A number that is negative, huge or no number.
    #[error("has a number that cannot be read, or a size that is negative or huge")]
    Number,
    /// Two sizes for one entry: what tools disagree on hides entries.
    #[error("gives two different sizes for one entry")]
    TwoSizes,
    /// An extended header that cannot be read.
    #[error("has a malformed extended header")]
    Extended,
    /// The same key twice in one extended header.
    #[error("has an extended header with a key twice")]
    DuplicateKey,
    /// A name from two extended headers, or an extended header without an entry.
    #[error("has extended headers that contradict each other")]
    Contradiction,
    /// A global header that would rename or resize every entry.
    #[error("has a global header that changes names or sizes")]
    Global,
    /// An extended header beyond every need.
    #[error("has an extended header that is too large")]
    ExtendedTooLarge,
}

impl ArchiveError {
    /// An error about the entry with these bytes as its name.
    pub(crate) fn entry(name: &[u8], problem: EntryProblem) -> Self {
        let name = String::from_utf8_lossy(&name[..name.len().min(4 * NAME_SHOWN)]);
        Self::ArchiveEntry {
            name: name.chars().take(NAME_SHOWN).collect(),
            problem,
        }
    }

    /// A short, stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownFormat | Self::Compression(_) => "unknown-format",
            Self::TwoFormats => "two-formats",
            Self::ArchiveEntry { problem, .. } => problem.code(),
            Self::Limit(problem) => problem.code(),
            Self::Zip(problem) => problem.code(),
            Self::Tar(problem) => problem.code(),
            Self::Truncated => "truncated",
            Self::TrailingData => "trailing-data",
            Self::SecondStream => "second-stream",
            Self::Twice(_) => "compressed-twice",
            Self::Damaged => "damaged",
            Self::StreamHeader => "stream-header",
            Self::Shape(problem) => problem.code(),
            Self::Changed => "changed",
            Self::Read(_) => "read",
            Self::Sink { .. } => "sink",
        }
    }
}

impl LimitProblem {
    fn code(&self) -> &'static str {
        match self {
            Self::ArchiveBytes { .. } => "limit-archive-bytes",
            Self::TotalBytes { .. } => "limit-total-bytes",
            Self::Entries { .. } => "limit-entries",
            Self::Files { .. } => "limit-files",
            Self::NamesBytes { .. } => "limit-names-bytes",
            Self::Ratio { .. } => "limit-ratio",
        }
    }
}

impl ZipProblem {
    fn code(self) -> &'static str {
        match self {
            Self::Prefix => "zip-prefix",
            Self::TwoEnds => "zip-two-ends",
            Self::End => "zip-end",
            Self::Zip64 => "zip-zip64",
            Self::Directory => "zip-directory",
            Self::MultiDisk => "zip-multi-disk",
            Self::HeaderMismatch => "zip-header-mismatch",
            Self::Overlap => "zip-overlap",
            Self::Gap => "zip-gap",
            Self::ExtraField => "zip-extra-field",
        }
    }
}

impl TarProblem {
    fn code(self) -> &'static str {
        match self {
            Self::Checksum => "tar-checksum",
            Self::Header => "tar-header",
            Self::Number => "tar-number",
            Self::TwoSizes => "tar-two-sizes",
            Self::Extended => "tar-extended",
            Self::DuplicateKey => "tar-duplicate-key",
            Self::Contradiction => "tar-contradiction",
            Self::Global => "tar-global",
            Self::ExtendedTooLarge => "tar-extended-too-large",
        }
    }
}

impl From<LimitProblem> for ArchiveError {
    fn from(problem: LimitProblem) -> Self {
        Self::Limit(problem)
    }
}

impl From<ZipProblem> for ArchiveError {
    fn from(problem: ZipProblem) -> Self {
        Self::Zip(problem)
    }
}

impl From<TarProblem> for ArchiveError {
    fn from(problem: TarProblem) -> Self {
        Self::Tar(problem)
    }
}

impl From<ShapeProblem> for ArchiveError {
    fn from(problem: ShapeProblem) -> Self {
        Self::Shape(problem)
    }
}

/// Our own readers stand behind `Read`, so their verdicts travel inside an `io::Error`.
impl From<ArchiveError> for io::Error {
    fn from(error: ArchiveError) -> Self {
        io::Error::new(io::ErrorKind::InvalidData, error)
    }
}

impl From<io::Error> for ArchiveError {
    fn from(error: io::Error) -> Self {
        match error.downcast::<ArchiveError>() {
            Ok(verdict) => verdict,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Self::Truncated,
            Err(error) => Self::Read(error),
        }
    }
}

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

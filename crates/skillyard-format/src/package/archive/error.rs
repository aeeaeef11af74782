//! Why an archive was refused, each class with a code that stays.

use std::io;

use super::format::Format;
use super::problem::EntryProblem;
use super::shape::ShapeProblem;

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
    Entry {
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
    Twice(Format),
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
        Self::Entry {
            name: name.chars().take(NAME_SHOWN).collect(),
            problem,
        }
    }

    /// A short, stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownFormat | Self::Compression(_) => "unknown-format",
            Self::TwoFormats => "two-formats",
            Self::Entry { problem, .. } => problem.code(),
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

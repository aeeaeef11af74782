//! Archives of skills and repositories, read in two passes, all or nothing.
//!
//! [`Archive::open`] is the first pass: it reads every header and all content once,
//! refuses the archive at the first violation and returns a [`ArchiveListing`].
//! [`Archive::deliver`] is the second: it hands the files to a [`Sink`], under the
//! same checks, and refuses an archive that changed in between. Both passes stream:
//! memory depends on the limits, never on what a header says. Nothing here touches
//! a disk. The header code is our own, because the usual crates hide what has to
//! be compared: local against central headers, two sizes, two names, two ends.

mod census;
mod error;
mod limits;
mod listing;
mod path;
mod stream;
mod tar;
mod zip;

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

use census::drain;
use stream::Stream;

pub use error::{ArchiveError, EntryProblem, LimitProblem, TarProblem, ZipProblem};
pub use limits::{Limits, OnBlemish, Rules};
pub use listing::{
    ArchiveEntry, ArchiveListing, ArchiveNote, Blemish, EntryKind, Junk, Mode, Remark, Shape,
    ShapeProblem, is_junk, is_litter, junk,
};
pub use path::{ArchivePath, is_device};

/// An archive that passed the first pass.
#[derive(Debug)]
pub struct Archive<R> {
    reader: R,
    rules: Rules,
    format: ArchiveFormat,
    listing: ArchiveListing,
    plan: SecondPass,
}

/// What the second pass needs to know of the first, per format.
#[derive(Debug)]
enum SecondPass {
    Zip(Vec<zip::Member>),
    Tar(Vec<tar::Slot>),
}

impl<R: Read + Seek> Archive<R> {
    /// The first pass: judges the whole archive, content included, and delivers nothing.
    pub fn open(mut reader: R, rules: Rules) -> Result<Self, ArchiveError> {
        let length = reader.seek(SeekFrom::End(0))?;
        let limit = rules.limits.archive_bytes;
        if length > limit {
            return Err(LimitProblem::ArchiveBytes { limit }.into());
        }
        let format = ArchiveFormat::detect(&mut reader)?;
        let (listing, plan) = if format == ArchiveFormat::Zip {
            let (listing, members) = zip::survey(&mut reader, length, &rules)?;
            (listing, SecondPass::Zip(members))
        } else {
            let stream = Stream::new(&mut reader, format, &rules.limits)?;
            let (listing, slots) = tar::survey(stream, &rules)?;
            (listing, SecondPass::Tar(slots))
        };
        Ok(Self {
            reader,
            rules,
            format,
            listing,
            plan,
        })
    }

    /// What kind of archive it is.
    pub fn format(&self) -> ArchiveFormat {
        self.format
    }

    /// What it holds.
    pub fn listing(&self) -> &ArchiveListing {
        &self.listing
    }

    /// The second pass: hands every file that is wanted to `sink`, in the archive's order.
    pub fn deliver(
        &mut self,
        wants: &mut dyn FnMut(&ArchivePath) -> bool,
        sink: &mut dyn Sink,
    ) -> Result<Delivered, ArchiveError> {
        self.reader.seek(SeekFrom::Start(0))?;
        match &self.plan {
            SecondPass::Zip(members) => {
                zip::deliver(&mut self.reader, members, &self.listing, wants, sink)
            }
            SecondPass::Tar(slots) => {
                let stream = Stream::new(&mut self.reader, self.format, &self.rules.limits)?;
                tar::deliver(stream, slots, &self.listing, &self.rules, wants, sink)
            }
        }
    }
}

/// The formats that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveFormat {
    /// A zip, also under the name `.skill`.
    Zip,
    /// A tar without compression.
    Tar,
    /// A tar in gzip.
    TarGz,
    /// A tar in Zstandard.
    TarZst,
}

impl ArchiveFormat {
    /// Looks at both ends of the file, and rewinds. What could be two formats is none.
    pub fn detect(reader: &mut (impl Read + Seek)) -> Result<Self, ArchiveError> {
        reader.seek(SeekFrom::Start(0))?;
        let mut head = Vec::new();
        reader
            .by_ref()
            .take(tar::BLOCK as u64)
            .read_to_end(&mut head)?;
        // Old tars have no magic, only a checksum; zips are found from their end.
        let starts_as_tar = tar::has_checksum(&head);
        let ends_as_zip = zip::has_end(reader)?;
        reader.seek(SeekFrom::Start(0))?;
        match (Self::of_head(&head), starts_as_tar, ends_as_zip) {
            (Some(Self::Zip | Self::TarGz | Self::TarZst), true, _)
            | (Some(Self::TarGz | Self::TarZst | Self::Tar), _, true)
            | (None, true, true) => Err(ArchiveError::TwoFormats),
            (Some(format), ..) => Ok(format),
            (None, true, false) => Ok(Self::Tar),
            // Something else comes first: the reader of zips says so.
            (None, false, true) => Ok(Self::Zip),
            (None, false, false) => Err(unread(&head)),
        }
    }

    /// The format that a file beginning with `head` has.
    pub fn of_head(head: &[u8]) -> Option<Self> {
        match head {
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Self::Zip),
            [0x1f, 0x8b, ..] => Some(Self::TarGz),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::TarZst),
            _ if head.get(257..262) == Some(b"ustar") => Some(Self::Tar),
            _ => None,
        }
    }

    /// The format that a file name promises: a hint for messages, never a decision.
    pub fn of_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
        if ends(&[".zip", ".skill"]) {
            Some(Self::Zip)
        } else if ends(&[".tar.gz", ".tgz"]) {
            Some(Self::TarGz)
        } else if ends(&[".tar.zst", ".tzst"]) {
            Some(Self::TarZst)
        } else if ends(&[".tar"]) {
            Some(Self::Tar)
        } else {
            None
        }
    }
}

impl fmt::Display for ArchiveFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Zip => "zip",
            Self::Tar => "tar",
            Self::TarGz => "tar.gz",
            Self::TarZst => "tar.zst",
        })
    }
}

/// Why a file that begins so is not read: it may be an archive all the same.
fn unread(head: &[u8]) -> ArchiveError {
    match head {
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => ArchiveError::Compression("xz"),
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => ArchiveError::Compression("bzip2"),
        _ => ArchiveError::UnknownFormat,
    }
}

/// Receives the files of an archive. This crate writes nothing itself.
///
/// When delivery ends with an error, throw away what was received.
pub trait Sink {
    /// Takes one file. What is not read of `content` is read and checked afterwards;
    /// an error of `content` must be passed on.
    fn file(&mut self, path: &ArchivePath, mode: Mode, content: &mut dyn Read) -> io::Result<()>;
}

/// How much was delivered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Hands one file over, and reads it to its end so that its checksum is looked at.
pub(crate) fn hand_over(
    sink: &mut dyn Sink,
    path: &ArchivePath,
    mode: Mode,
    content: &mut dyn Read,
) -> Result<(), ArchiveError> {
    let mut watched = SourceWatch {
        content,
        failure: None,
    };
    let taken = sink.file(path, mode, &mut watched);
    if let Some(failure) = watched.failure {
        return Err(failure.into());
    }
    taken.map_err(|source| ArchiveError::Sink {
        path: path.to_string(),
        source,
    })?;
    drain(content)?;
    Ok(())
}

/// Keeps the archive's own failure apart from the receiver's.
struct SourceWatch<'a> {
    content: &'a mut dyn Read,
    failure: Option<io::Error>,
}

impl Read for SourceWatch<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.failure.is_some() {
            return Err(io::Error::other("the archive could not be read"));
        }
        self.content.read(buffer).map_err(|error| {
            let repeated = io::Error::new(error.kind(), "the archive could not be read");
            self.failure = Some(error);
            repeated
        })
    }
}

//! Which kind of archive it is, by what it holds and not by what it is called.

use std::fmt;
use std::io::{Read, Seek, SeekFrom};

use super::error::ArchiveError;
use super::tar;
use super::zip;

/// The formats that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A zip, also under the name `.skill`.
    Zip,
    /// A tar without compression.
    Tar,
    /// A tar in gzip.
    TarGz,
    /// A tar in Zstandard.
    TarZst,
}

impl Format {
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

impl fmt::Display for Format {
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

//! Reading one file, or a part of it.

use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};

use super::content::{HEAD, LONGEST, UNKNOWN, Window, media_type};
use super::error::{FileKind, ResourceError};
use super::limits::{BinaryContent, HardLinks, ReadLimits, ReadRange};
use super::open::FILE;
use super::root::{SkillRoot, explain};

/// The bit of a file's mode that lets its owner execute it.
pub(super) const OWNER_EXECUTES: u32 = 0o100;

/// A file of a skill, or a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// The path below the skill's root.
    pub path: String,
    /// The size of the whole file in bytes.
    pub size: u64,
    /// Where in the file the content starts.
    pub offset: u64,
    /// What was read.
    pub content: Content,
    /// Where to go on reading, if there is more.
    pub next_offset: Option<u64>,
    /// Whether its owner may execute the file.
    pub executable: bool,
}

/// What was read of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Whole characters of a text.
    Text(String),
    /// Something that is not text.
    Binary {
        /// The type, from the content alone.
        media_type: &'static str,
        /// The bytes, if they were asked for.
        bytes: Option<Vec<u8>>,
    },
}

impl SkillRoot {
    /// Reads the file at `path`, which is relative to the skill's root and separated by `/`.
    pub fn read(
        &self,
        path: &str,
        range: ReadRange,
        limits: &ReadLimits,
    ) -> Result<Resource, ResourceError> {
        let opened = Opened::admitted(self, path, limits)?;
        let part = Part::of(range, limits);
        let taken = opened.taken(&part)?;
        opened.resource(&part, limits, taken)
    }
}

/// The bytes that have to be read for a part of a file.
pub(super) struct Part {
    /// Where the part begins.
    offset: u64,
    /// How many bytes it may have.
    limit: u64,
    /// How many bytes before it are read.
    lead: u64,
    /// Where reading begins.
    pub(super) from: u64,
    /// How many bytes are read at most.
    pub(super) count: u64,
}

impl Part {
    pub(super) fn of(range: ReadRange, limits: &ReadLimits) -> Self {
        let limit = range.limit.unwrap_or(u64::MAX).min(limits.max_bytes).max(1);
        // Up to three bytes before the offset may belong to the character it falls into.
        let lead = range.offset.min(LONGEST - 1);
        Self {
            offset: range.offset,
            limit,
            lead,
            from: range.offset - lead,
            // One character more tells whether the file goes on, and is there if the limit is shorter than one.
            count: lead.saturating_add(limit).saturating_add(LONGEST),
        }
    }
}

/// What was read for a part of a file.
pub(super) struct Taken {
    /// The bytes.
    pub(super) bytes: Vec<u8>,
    /// How the file begins, unless that is among them.
    pub(super) head: Option<Vec<u8>>,
    /// The size of the file.
    pub(super) size: u64,
}

/// A regular file of a skill, opened for reading.
pub(super) struct Opened {
    pub(super) path: String,
    pub(super) file: File,
    metadata: Metadata,
}

impl Opened {
    /// Opens the file of a path that may be read.
    pub(super) fn admitted(
        root: &SkillRoot,
        path: &str,
        limits: &ReadLimits,
    ) -> Result<Self, ResourceError> {
        let path = limits.admitted(path)?;
        let name = path.as_str();
        let descriptor = root
            .opener
            .open(&path, FILE)
            .map_err(|error| explain(name, error))?;
        let (file, metadata) = regular(name, descriptor)?;
        if limits.hard_links == HardLinks::Refuse && metadata.nlink() > 1 {
            return Err(ResourceError::HardLink {
                path: name.to_owned(),
                links: metadata.nlink(),
            });
        }
        Ok(Self {
            path: name.to_owned(),
            file,
            metadata,
        })
    }

    fn taken(&self, part: &Part) -> Result<Taken, ResourceError> {
        Ok(Taken {
            bytes: self.bytes(part.from, part.count)?,
            head: match part.from {
                0 => None,
                _ => Some(self.bytes(0, HEAD as u64)?),
            },
            size: self.metadata.size(),
        })
    }

    /// The part of the file in what was read.
    pub(super) fn resource(
        self,
        part: &Part,
        limits: &ReadLimits,
        taken: Taken,
    ) -> Result<Resource, ResourceError> {
        let Taken { bytes, head, size } = taken;
        let end = part.from + bytes.len() as u64;
        if part.offset > end {
            return Err(ResourceError::OffsetPastEnd {
                path: self.path,
                offset: part.offset,
                // Where nothing was read, reading began past the end too.
                size: size.min(end),
            });
        }
        let judged = head.as_deref().unwrap_or(&bytes);
        let media_type = media_type(judged);
        let window = Window {
            bytes,
            skip: usize::try_from(part.lead).unwrap_or_default(),
            limit: usize::try_from(part.limit).unwrap_or(usize::MAX),
        };
        let text = match media_type {
            None => window.into_text(),
            Some(_) => Err(window),
        };
        let (offset, length, content) = match text {
            Ok((start, text)) => (part.from + start as u64, text.len(), Content::Text(text)),
            Err(window) => {
                let media_type = media_type.unwrap_or(UNKNOWN);
                let bytes = (limits.binary == BinaryContent::Include).then(|| window.into_bytes());
                let length = bytes.as_ref().map_or(usize::MAX, Vec::len);
                (part.offset, length, Content::Binary { media_type, bytes })
            }
        };
        let next = offset.saturating_add(length as u64);
        Ok(Resource {
            path: self.path,
            size: size.max(end),
            offset,
            content,
            next_offset: (next < end).then_some(next),
            executable: self.metadata.mode() & OWNER_EXECUTES != 0,
        })
    }

    /// At most `count` bytes from `offset`.
    fn bytes(&self, offset: u64, count: u64) -> Result<Vec<u8>, ResourceError> {
        let error = |source| self.failed(source);
        let expected = self.metadata.size().saturating_sub(offset).min(count);
        let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or_default() + 1);
        let mut file = &self.file;
        file.seek(SeekFrom::Start(offset)).map_err(error)?;
        file.take(count).read_to_end(&mut bytes).map_err(error)?;
        Ok(bytes)
    }

    /// That the file cannot be read.
    pub(super) fn failed(&self, source: io::Error) -> ResourceError {
        ResourceError::Io {
            path: self.path.clone(),
            source,
        }
    }
}

/// The file behind a descriptor, if it is a regular one.
pub(super) fn regular(path: &str, file: OwnedFd) -> Result<(File, Metadata), ResourceError> {
    let file = File::from(file);
    let metadata = file.metadata().map_err(|source| ResourceError::Io {
        path: path.to_owned(),
        source,
    })?;
    if metadata.is_file() {
        return Ok((file, metadata));
    }
    Err(ResourceError::NotRegular {
        path: path.to_owned(),
        kind: kind(&metadata),
    })
}

fn kind(metadata: &Metadata) -> FileKind {
    let kind = metadata.file_type();
    match () {
        () if kind.is_dir() => FileKind::Folder,
        () if kind.is_symlink() => FileKind::Symlink,
        () if kind.is_fifo() => FileKind::Fifo,
        () if kind.is_socket() => FileKind::Socket,
        () if kind.is_char_device() || kind.is_block_device() => FileKind::Device,
        () => FileKind::Unknown,
    }
}

//! Reading one file, or a part of it.

use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::str::from_utf8;

use super::error::{FileKind, ResourceError};
use super::path::RelativePath;
use super::root::{FILE, SkillRoot, explain};

/// Which part of a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadRange {
    /// The byte to start from; inside a character, that character is given whole.
    pub offset: u64,
    /// How many bytes are wanted at most; at least one character is given, so that reading goes on.
    pub limit: Option<u64>,
}

/// What one read may give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// How many bytes one read gives; more are left to the next one.
    pub max_bytes: u64,
    /// Whether files deeper than one folder may be read.
    pub nested: bool,
    /// What happens to files with several names.
    pub hard_links: HardLinks,
    /// What is given of binary files.
    pub binary: BinaryContent,
    /// What files may be called.
    pub names: PathRules,
}

/// What files may be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PathRules {
    /// As on every system, because skills go from one to another.
    #[default]
    Portable,
    /// As this system lets them be called; for folders that stay here, such as a workspace.
    Any,
}

/// What happens to files with several names.
///
/// A hard link looks like the file: a user who may write to the skill's folder can link any file of that
/// disk into it, if the system allows that. Folders that only the user writes to are safe from this, and
/// package stores link files there on purpose; the caller knows which folder it is and says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HardLinks {
    /// They are read as any other.
    Allow,
    /// They are refused.
    #[default]
    Refuse,
}

/// What is given of binary files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BinaryContent {
    /// The bytes.
    Include,
    /// Size and type only.
    #[default]
    Describe,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            max_bytes: 2_000_000,
            nested: true,
            hard_links: HardLinks::default(),
            binary: BinaryContent::default(),
            names: PathRules::default(),
        }
    }
}

impl ReadLimits {
    /// Refuses the path of a file that is not read, whatever it holds.
    pub fn admit(&self, path: &str) -> Result<(), ResourceError> {
        self.admitted(path).map(drop)
    }

    /// The path of a file that may be read.
    pub(super) fn admitted(&self, path: &str) -> Result<RelativePath, ResourceError> {
        let path = match self.names {
            PathRules::Portable => RelativePath::file(path)?,
            PathRules::Any => RelativePath::here(path)?,
        };
        if !self.nested && path.components().count() > 2 {
            return Err(ResourceError::Nested {
                path: path.as_str().to_owned(),
            });
        }
        Ok(path)
    }
}

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
    pub content: ResourceContent,
    /// Where to go on reading, if there is more.
    pub next_offset: Option<u64>,
    /// Whether its owner may execute the file.
    pub executable: bool,
}

/// What was read of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceContent {
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
        let opened = OpenFile::admitted(self, path, limits)?;
        let part = ReadWindow::of(range, limits);
        let taken = opened.taken(&part)?;
        opened.resource(&part, limits, taken)
    }
}

/// The bytes that have to be read for a part of a file.
pub(super) struct ReadWindow {
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

impl ReadWindow {
    pub(super) fn of(range: ReadRange, limits: &ReadLimits) -> Self {
        let limit = range.limit.unwrap_or(u64::MAX).min(limits.max_bytes).max(1);
        // Up to three bytes before the offset may belong to the character it falls into.
        let lead = range.offset.min(MAX_CHARACTER_BYTES - 1);
        Self {
            offset: range.offset,
            limit,
            lead,
            from: range.offset - lead,
            // One character more tells whether the file goes on, and is there if the limit is shorter than one.
            count: lead
                .saturating_add(limit)
                .saturating_add(MAX_CHARACTER_BYTES),
        }
    }
}

/// What was read for a part of a file.
pub(super) struct ReadBytes {
    /// The bytes.
    pub(super) bytes: Vec<u8>,
    /// How the file begins, unless that is among them.
    pub(super) head: Option<Vec<u8>>,
    /// The size of the file.
    pub(super) size: u64,
}

/// A regular file of a skill, opened for reading.
pub(super) struct OpenFile {
    pub(super) path: String,
    pub(super) file: File,
    metadata: Metadata,
}

impl OpenFile {
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

    fn taken(&self, part: &ReadWindow) -> Result<ReadBytes, ResourceError> {
        Ok(ReadBytes {
            bytes: self.bytes(part.from, part.count)?,
            head: match part.from {
                0 => None,
                _ => Some(self.bytes(0, HEAD_BYTES as u64)?),
            },
            size: self.metadata.size(),
        })
    }

    /// The part of the file in what was read.
    pub(super) fn resource(
        self,
        part: &ReadWindow,
        limits: &ReadLimits,
        taken: ReadBytes,
    ) -> Result<Resource, ResourceError> {
        let ReadBytes { bytes, head, size } = taken;
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
        let window = TextWindow {
            bytes,
            skip: usize::try_from(part.lead).unwrap_or_default(),
            limit: usize::try_from(part.limit).unwrap_or(usize::MAX),
        };
        let text = match media_type {
            None => window.into_text(),
            Some(_) => Err(window),
        };
        let (offset, length, content) = match text {
            Ok((start, text)) => (
                part.from + start as u64,
                text.len(),
                ResourceContent::Text(text),
            ),
            Err(window) => {
                let media_type = media_type.unwrap_or(UNKNOWN);
                let bytes = (limits.binary == BinaryContent::Include).then(|| window.into_bytes());
                let length = bytes.as_ref().map_or(usize::MAX, Vec::len);
                (
                    part.offset,
                    length,
                    ResourceContent::Binary { media_type, bytes },
                )
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

/// How many bytes from the start of a file decide what it is.
pub(super) const HEAD_BYTES: usize = 8192;
/// The longest character, in bytes.
pub(super) const MAX_CHARACTER_BYTES: u64 = 4;
/// The type of binary content nothing is known about.
pub(super) const UNKNOWN: &str = "application/octet-stream";

/// The type of a file that starts with `head`, if that shows that it is not text.
///
/// PDF is the one format that may be all text and is of no use as such.
pub(super) fn media_type(head: &[u8]) -> Option<&'static str> {
    let head = &head[..head.len().min(HEAD_BYTES)];
    // What was cut off inside a character is judged with the text.
    let invalid = from_utf8(head).is_err_and(|error| error.error_len().is_some());
    if !invalid && !head.contains(&0) && !head.starts_with(b"%PDF-") {
        return None;
    }
    let known = match head {
        [0xff, 0xfe, ..] => Some("text/plain; charset=utf-16le"),
        [0xfe, 0xff, ..] => Some("text/plain; charset=utf-16be"),
        _ => infer::get(head).map(|kind| kind.mime_type()),
    };
    Some(known.unwrap_or(UNKNOWN))
}

/// Bytes that were read around the part of a file that is wanted.
pub(super) struct TextWindow {
    /// Some bytes before the part, the part, and some after it unless the file ends.
    pub(super) bytes: Vec<u8>,
    /// Where the part starts.
    pub(super) skip: usize,
    /// How long it may be.
    pub(super) limit: usize,
}

impl TextWindow {
    /// The part as whole characters, and where in the window they start; the window itself if it is not text.
    pub(super) fn into_text(mut self) -> Result<(usize, String), Self> {
        let Some((start, stop)) = self.text() else {
            return Err(self);
        };
        self.bytes.truncate(stop);
        self.bytes.drain(..start);
        let (skip, limit) = (self.skip - start, self.limit);
        match String::from_utf8(self.bytes) {
            Ok(text) => Ok((start, text)),
            Err(error) => Err(Self {
                bytes: error.into_bytes(),
                skip,
                limit,
            }),
        }
    }

    /// The part as it is.
    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        self.bytes.truncate(self.stop());
        self.bytes.drain(..self.skip);
        self.bytes
    }

    /// Where the whole characters of the part start and stop, if it is text.
    fn text(&self) -> Option<(usize, usize)> {
        let start = self.boundary();
        let stop = self.stop();
        let stop = match from_utf8(&self.bytes[start..stop]) {
            Ok(_) => stop,
            // Invalid, or the file ends inside a character.
            Err(error) if error.error_len().is_some() || stop == self.bytes.len() => return None,
            Err(error) if error.valid_up_to() > 0 => start + error.valid_up_to(),
            // The limit is shorter than the first character, which is given whole.
            Err(_) => {
                let chunk = self.bytes[start..].utf8_chunks().next()?;
                start + chunk.valid().chars().next()?.len_utf8()
            }
        };
        (!self.bytes[start..stop].contains(&0)).then_some((start, stop))
    }

    fn stop(&self) -> usize {
        self.skip.saturating_add(self.limit).min(self.bytes.len())
    }

    /// Where the character starts that the start of the part falls into.
    fn boundary(&self) -> usize {
        (0..=self.skip)
            .rev()
            .find(|&place| self.bytes.get(place).is_none_or(|byte| byte & 0xc0 != 0x80))
            .unwrap_or(self.skip)
    }
}

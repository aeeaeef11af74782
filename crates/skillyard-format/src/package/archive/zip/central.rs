//! The directory of a zip: one record per entry.

use std::io::{BufReader, Read, Seek, SeekFrom};

use super::content::Method;
use super::end::{Directory, END_SIGNATURE};
use super::extra::{Sizes, resolve};
use super::fields::Fields;
use crate::package::archive::census::{Head, Kind, Verdict};
use crate::package::archive::error::{ArchiveError, ZipProblem};
use crate::package::archive::problem::EntryProblem;

const SIGNATURE: u32 = u32::from_le_bytes(*b"PK\x01\x02");
const RECORD_BYTES: usize = 46;

const FLAG_ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;
pub(super) const FLAG_DESCRIPTOR: u16 = 1 << 3;
const FLAG_UTF8: u16 = 1 << 11;
/// Two bits that tell how hard the compressor tried.
const FLAG_EFFORT: u16 = 0b110;

/// Unix and macOS, as the system that wrote an entry.
const UNIX_HOSTS: [u8; 2] = [3, 19];

const DOS_FOLDER: u32 = 0x10;
const DOS_REPARSE_POINT: u32 = 0x400;

/// What the directory says of one entry.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) head: Head,
    pub(super) flags: u16,
    pub(super) method: Method,
    pub(super) checksum: u32,
    pub(super) compressed: u64,
    pub(super) offset: u64,
}

/// Reads the directory; `judge` sees each record before the next is read.
pub(super) fn read(
    reader: &mut (impl Read + Seek),
    directory: &Directory,
    mut judge: impl FnMut(&Record) -> Result<Verdict, ArchiveError>,
) -> Result<Vec<(Record, Verdict)>, ArchiveError> {
    reader.seek(SeekFrom::Start(directory.offset))?;
    let mut input = BufReader::new(reader).take(directory.size);
    let mut records = Vec::new();
    for _ in 0..directory.count {
        // Running out of directory is a lie about the count, not a file cut short.
        let record = Record::read(&mut input).map_err(|error| match error {
            ArchiveError::Truncated => ZipProblem::End.into(),
            other => other,
        })?;
        let verdict = judge(&record)?;
        records.push((record, verdict));
    }
    if input.limit() == 0 {
        Ok(records)
    } else {
        Err(ZipProblem::End.into())
    }
}

impl Record {
    fn read(input: &mut impl Read) -> Result<Self, ArchiveError> {
        let mut bytes = [0; RECORD_BYTES];
        input.read_exact(&mut bytes)?;
        let raw = Raw::parse(&bytes).ok_or(ZipProblem::Directory)?;
        let name = take(input, raw.name_length)?;
        let extra = take(input, raw.extra_length)?;
        let comment = take(input, raw.comment_length)?;
        if [&extra, &comment]
            .iter()
            .any(|text| memchr::memmem::find(text, END_SIGNATURE).is_some())
        {
            return Err(ZipProblem::TwoEnds.into());
        }
        if raw.disk != 0 {
            return Err(ZipProblem::MultiDisk.into());
        }
        check_flags(raw.flags, &name)?;
        let method =
            Method::new(raw.method).map_err(|problem| ArchiveError::entry(&name, problem))?;
        check_encoding(&raw, &name)?;
        let sizes = resolve(&extra, &name, raw.sizes)?;
        let kind = kind_of(raw.attributes, &name)?;
        Ok(Self {
            head: Head {
                kind,
                size: sizes.size,
                packed: Some(sizes.compressed),
                mode: raw.attributes >> 16,
                name,
            },
            flags: raw.flags,
            method,
            checksum: raw.checksum,
            compressed: sizes.compressed,
            offset: sizes.offset.unwrap_or_default(),
        })
    }
}

/// The fixed part of a record.
struct Raw {
    host: u8,
    flags: u16,
    method: u16,
    checksum: u32,
    sizes: Sizes,
    name_length: u16,
    extra_length: u16,
    comment_length: u16,
    disk: u16,
    attributes: u32,
}

impl Raw {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields(bytes);
        if fields.u32()? != SIGNATURE {
            return None;
        }
        let [_, host] = fields.u16()?.to_le_bytes();
        fields.bytes(2)?;
        let (flags, method) = (fields.u16()?, fields.u16()?);
        fields.bytes(4)?;
        let (checksum, compressed, size) = (fields.u32()?, fields.u32()?, fields.u32()?);
        let (name_length, extra_length) = (fields.u16()?, fields.u16()?);
        let (comment_length, disk) = (fields.u16()?, fields.u16()?);
        fields.bytes(2)?;
        Some(Self {
            host,
            flags,
            method,
            checksum,
            name_length,
            extra_length,
            comment_length,
            disk,
            attributes: fields.u32()?,
            sizes: Sizes {
                size: size.into(),
                compressed: compressed.into(),
                offset: Some(fields.u32()?.into()),
            },
        })
    }
}

fn take(input: &mut impl Read, count: u16) -> Result<Vec<u8>, ArchiveError> {
    let mut bytes = vec![0; count.into()];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn check_flags(flags: u16, name: &[u8]) -> Result<(), ArchiveError> {
    let problem = if flags & FLAG_ENCRYPTED != 0 {
        EntryProblem::Encrypted
    } else if flags & !(FLAG_ENCRYPTED | FLAG_EFFORT | FLAG_DESCRIPTOR | FLAG_UTF8) != 0 {
        EntryProblem::Unsupported("an unknown flag")
    } else {
        return Ok(());
    };
    Err(ArchiveError::entry(name, problem))
}

/// Without the flag, tools disagree on what bytes beyond ASCII mean, save on systems
/// where a name is bytes: there `zip` and the Finder leave the flag off UTF-8.
fn check_encoding(raw: &Raw, name: &[u8]) -> Result<(), ArchiveError> {
    let marked = raw.flags & FLAG_UTF8 != 0 || UNIX_HOSTS.contains(&raw.host);
    let problem = if !marked && !name.is_ascii() {
        EntryProblem::UnmarkedEncoding
    } else if std::str::from_utf8(name).is_err() {
        EntryProblem::NotUtf8
    } else {
        return Ok(());
    };
    Err(ArchiveError::entry(name, problem))
}

/// What the attributes say, whichever system wrote them: readers differ on whether they look at that.
fn kind_of(attributes: u32, name: &[u8]) -> Result<Kind, ArchiveError> {
    let named_folder = name.ends_with(b"/");
    let kind = match attributes >> 28 {
        _ if attributes & DOS_REPARSE_POINT != 0 => Kind::Symlink,
        0o12 => Kind::Symlink,
        0o04 => Kind::Folder,
        0 if named_folder || attributes & DOS_FOLDER != 0 => Kind::Folder,
        0 | 0o10 => Kind::File,
        0o01 => Kind::Special("a named pipe"),
        0o02 => Kind::Special("a character device"),
        0o06 => Kind::Special("a block device"),
        0o14 => Kind::Special("a socket"),
        _ => Kind::Special("of an unknown kind"),
    };
    let says_folder = kind == Kind::Folder;
    if matches!(kind, Kind::File | Kind::Folder) && says_folder != named_folder {
        return Err(ArchiveError::entry(name, EntryProblem::KindMismatch));
    }
    Ok(kind)
}

//! The directory at the end of a zip, with one record per entry, and the end record that leads to it.

use std::io::{BufReader, Read, Seek, SeekFrom};

use crate::package::archive::census::{EntryHeader, HeaderKind, Verdict};
use crate::package::archive::error::EntryProblem;
use crate::package::archive::error::{ArchiveError, ZipProblem};
use crate::package::archive::zip::Method;
use crate::package::archive::zip::local::Fields;
use crate::package::archive::zip::local::{Sizes, resolve};

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
    pub(super) head: EntryHeader,
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
            head: EntryHeader {
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
fn kind_of(attributes: u32, name: &[u8]) -> Result<HeaderKind, ArchiveError> {
    let named_folder = name.ends_with(b"/");
    let kind = match attributes >> 28 {
        _ if attributes & DOS_REPARSE_POINT != 0 => HeaderKind::Symlink,
        0o12 => HeaderKind::Symlink,
        0o04 => HeaderKind::Folder,
        0 if named_folder || attributes & DOS_FOLDER != 0 => HeaderKind::Folder,
        0 | 0o10 => HeaderKind::File,
        0o01 => HeaderKind::Special("a named pipe"),
        0o02 => HeaderKind::Special("a character device"),
        0o06 => HeaderKind::Special("a block device"),
        0o14 => HeaderKind::Special("a socket"),
        _ => HeaderKind::Special("of an unknown kind"),
    };
    let says_folder = kind == HeaderKind::Folder;
    if matches!(kind, HeaderKind::File | HeaderKind::Folder) && says_folder != named_folder {
        return Err(ArchiveError::entry(name, EntryProblem::KindMismatch));
    }
    Ok(kind)
}

pub(super) const END_SIGNATURE: &[u8; 4] = b"PK\x05\x06";
const LOCATOR_SIGNATURE: &[u8; 4] = b"PK\x06\x07";
const END64_SIGNATURE: &[u8; 4] = b"PK\x06\x06";

const END_BYTES: usize = 22;
const LOCATOR_BYTES: usize = 20;
const END64_BYTES: usize = 56;

/// The end record with the longest comment there can be.
const TAIL_BYTES: u64 = END_BYTES as u64 + u16::MAX as u64;

/// Where the directory lies and how many entries it has.
#[derive(Debug)]
pub(super) struct Directory {
    pub(super) offset: u64,
    pub(super) size: u64,
    pub(super) count: u64,
    /// Whether the tail of the file holds other end records, even inside an entry.
    pub(super) ends: EndCount,
}

/// How many end records were seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndCount {
    One,
    Several,
}

/// Whether there is an end record at the end of this file.
pub(crate) fn has_end(reader: &mut (impl Read + Seek)) -> Result<bool, ArchiveError> {
    let length = reader.seek(SeekFrom::End(0))?;
    let (_, tail) = read_tail(reader, length)?;
    Ok(places(&tail).any(|place| fits(&tail, place)))
}

/// Finds the one end record that the file ends with.
pub(super) fn find(
    reader: &mut (impl Read + Seek),
    length: u64,
) -> Result<Directory, ArchiveError> {
    let (tail_start, tail) = read_tail(reader, length)?;
    let places: Vec<usize> = places(&tail).collect();
    let fitting: Vec<usize> = places
        .iter()
        .copied()
        .filter(|place| fits(&tail, *place))
        .collect();
    let place = match (fitting.as_slice(), places.last()) {
        ([one], Some(last)) if one == last => *one,
        ([_, ..], _) => return Err(ZipProblem::TwoEnds.into()),
        ([], Some(last)) if claims_more(&tail, *last) => return Err(ArchiveError::Truncated),
        ([], Some(_)) => return Err(ArchiveError::TrailingData),
        ([], None) => return Err(ArchiveError::Truncated),
    };
    let ends = if places.len() > 1 {
        EndCount::Several
    } else {
        EndCount::One
    };
    let record = EndRecord::parse(&tail[place..]).ok_or(ArchiveError::Truncated)?;
    let at = tail_start + place as u64;
    let (record, directory_end) = record.widen(reader, at)?;
    if record.disk != 0 || record.directory_disk != 0 {
        return Err(ZipProblem::MultiDisk.into());
    }
    if record.count != record.count_here {
        return Err(ZipProblem::End.into());
    }
    let claimed_end = record
        .offset
        .checked_add(record.size)
        .ok_or(ZipProblem::End)?;
    if claimed_end != directory_end {
        return Err(misfit(reader, claimed_end < directory_end, ends)?.into());
    }
    // A second signature in the directory would be an end to tools that look from the front.
    if places
        .iter()
        .any(|other| *other != place && tail_start + *other as u64 >= record.offset)
    {
        return Err(ZipProblem::TwoEnds.into());
    }
    Ok(Directory {
        offset: record.offset,
        size: record.size,
        count: record.count,
        ends,
    })
}

/// The end record's fields, wide enough for both forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct EndRecord {
    disk: u64,
    directory_disk: u64,
    count_here: u64,
    count: u64,
    size: u64,
    offset: u64,
}

impl EndRecord {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields(bytes);
        fields.u32()?;
        Some(Self {
            disk: fields.u16()?.into(),
            directory_disk: fields.u16()?.into(),
            count_here: fields.u16()?.into(),
            count: fields.u16()?.into(),
            size: fields.u32()?.into(),
            offset: fields.u32()?.into(),
        })
    }

    /// Takes the 64-bit record into account if there is one; also says where the directory must end.
    fn widen(self, reader: &mut (impl Read + Seek), at: u64) -> Result<(Self, u64), ArchiveError> {
        let saturated = [self.count_here, self.count].contains(&u16::MAX.into())
            || [self.size, self.offset].contains(&u32::MAX.into());
        let Some(locator_at) = at.checked_sub(LOCATOR_BYTES as u64) else {
            return if saturated {
                Err(ZipProblem::Zip64.into())
            } else {
                Ok((self, at))
            };
        };
        let locator: [u8; LOCATOR_BYTES] = read_at(reader, locator_at)?;
        if !locator.starts_with(LOCATOR_SIGNATURE) {
            return if saturated {
                Err(ZipProblem::Zip64.into())
            } else {
                Ok((self, at))
            };
        }
        let wide_at = locator_at
            .checked_sub(END64_BYTES as u64)
            .ok_or(ZipProblem::Zip64)?;
        if parse_locator(&locator) != Some((0, wide_at, 1)) {
            return Err(ZipProblem::Zip64.into());
        }
        let record: [u8; END64_BYTES] = read_at(reader, wide_at)?;
        let wide = Self::parse_wide(&record).ok_or(ZipProblem::Zip64)?;
        let agrees = |narrow: u64, wide: u64, most: u64| narrow == wide || narrow == most;
        let (most16, most32) = (u16::MAX.into(), u32::MAX.into());
        if agrees(self.disk, wide.disk, most16)
            && agrees(self.directory_disk, wide.directory_disk, most16)
            && agrees(self.count_here, wide.count_here, most16)
            && agrees(self.count, wide.count, most16)
            && agrees(self.size, wide.size, most32)
            && agrees(self.offset, wide.offset, most32)
        {
            Ok((wide, wide_at))
        } else {
            Err(ZipProblem::Zip64.into())
        }
    }

    fn parse_wide(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields(bytes);
        if fields.bytes(4)? != END64_SIGNATURE || fields.u64()? != END64_BYTES as u64 - 12 {
            return None;
        }
        fields.bytes(4)?;
        Some(Self {
            disk: fields.u32()?.into(),
            directory_disk: fields.u32()?.into(),
            count_here: fields.u64()?,
            count: fields.u64()?,
            size: fields.u64()?,
            offset: fields.u64()?,
        })
    }
}

/// Disk, place of the 64-bit record, number of disks.
fn parse_locator(bytes: &[u8]) -> Option<(u32, u64, u32)> {
    let mut fields = Fields(bytes);
    fields.bytes(4)?;
    Some((fields.u32()?, fields.u64()?, fields.u32()?))
}

/// Names what is wrong when the directory does not reach up to the end record.
fn misfit(
    reader: &mut (impl Read + Seek),
    short: bool,
    ends: EndCount,
) -> Result<ZipProblem, ArchiveError> {
    let start: [u8; 2] = read_at(reader, 0)?;
    Ok(match ends {
        EndCount::Several => ZipProblem::TwoEnds,
        EndCount::One if short && &start != b"PK" => ZipProblem::Prefix,
        EndCount::One => ZipProblem::End,
    })
}

fn read_tail(reader: &mut (impl Read + Seek), length: u64) -> Result<(u64, Vec<u8>), ArchiveError> {
    let start = length.saturating_sub(TAIL_BYTES);
    reader.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    reader.by_ref().take(TAIL_BYTES).read_to_end(&mut tail)?;
    Ok((start, tail))
}

fn places(tail: &[u8]) -> impl Iterator<Item = usize> {
    memchr::memmem::find_iter(tail, END_SIGNATURE)
}

/// Whether the record at `place` and its comment end where the file does.
fn fits(tail: &[u8], place: usize) -> bool {
    comment_end(tail, place) == Some(tail.len())
}

fn claims_more(tail: &[u8], place: usize) -> bool {
    comment_end(tail, place).is_none_or(|end| end > tail.len())
}

fn comment_end(tail: &[u8], place: usize) -> Option<usize> {
    let record = tail.get(place..place + END_BYTES)?;
    let comment = Fields(&record[END_BYTES - 2..]).u16()?;
    Some(place + END_BYTES + usize::from(comment))
}

fn read_at<const N: usize>(
    reader: &mut (impl Read + Seek),
    at: u64,
) -> Result<[u8; N], ArchiveError> {
    reader.seek(SeekFrom::Start(at))?;
    let mut bytes = [0; N];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

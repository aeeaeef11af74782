//! The end record, from which a zip is read, and its 64-bit form.

use std::io::{Read, Seek, SeekFrom};

use super::fields::Fields;
use crate::package::archive::error::{ArchiveError, ZipProblem};

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
    pub(super) ends: Ends,
}

/// How many end records were seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
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
        Ends::Several
    } else {
        Ends::One
    };
    let record = End::parse(&tail[place..]).ok_or(ArchiveError::Truncated)?;
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
struct End {
    disk: u64,
    directory_disk: u64,
    count_here: u64,
    count: u64,
    size: u64,
    offset: u64,
}

impl End {
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
    ends: Ends,
) -> Result<ZipProblem, ArchiveError> {
    let start: [u8; 2] = read_at(reader, 0)?;
    Ok(match ends {
        Ends::Several => ZipProblem::TwoEnds,
        Ends::One if short && &start != b"PK" => ZipProblem::Prefix,
        Ends::One => ZipProblem::End,
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

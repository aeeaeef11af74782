//! The header before each file, which must say what the directory says.

use std::io::{Read, Seek, SeekFrom};

use crate::package::archive::error::EntryProblem;
use crate::package::archive::error::{ArchiveError, ZipProblem};
use crate::package::archive::zip::directory::{FLAG_DESCRIPTOR, Record};

const SIGNATURE: u32 = u32::from_le_bytes(*b"PK\x03\x04");
const DESCRIPTOR_SIGNATURE: &[u8; 4] = b"PK\x07\x08";
const HEADER_BYTES: usize = 30;

/// Where the content of an entry lies.
#[derive(Debug)]
pub(super) struct LocalHeader {
    pub(super) data: u64,
}

/// Reads the header at the reader's place and compares it with the directory's record.
pub(super) fn read(reader: &mut impl Read, record: &Record) -> Result<LocalHeader, ArchiveError> {
    let mut bytes = [0; HEADER_BYTES];
    reader.read_exact(&mut bytes)?;
    let raw = Raw::parse(&bytes).ok_or(ZipProblem::HeaderMismatch)?;
    if usize::from(raw.name_length) != record.head.name.len()
        || raw.flags != record.flags
        || raw.method != record.method.number()
    {
        return Err(ZipProblem::HeaderMismatch.into());
    }
    let mut name = vec![0; raw.name_length.into()];
    reader.read_exact(&mut name)?;
    if name != record.head.name {
        return Err(ZipProblem::HeaderMismatch.into());
    }
    let mut extra = vec![0; raw.extra_length.into()];
    reader.read_exact(&mut extra)?;
    let sizes = resolve(&extra, &name, raw.sizes)?;
    let later = record.flags & FLAG_DESCRIPTOR != 0;
    // With a descriptor behind the content, the header may leave these at zero.
    let same = |here: u64, there: u64| here == there || (later && here == 0);
    if !same(raw.checksum.into(), record.checksum.into())
        || !same(sizes.size, record.head.size)
        || !same(sizes.compressed, record.compressed)
    {
        return Err(ZipProblem::HeaderMismatch.into());
    }
    let lengths = u64::from(raw.name_length) + u64::from(raw.extra_length);
    Ok(LocalHeader {
        data: record.offset + HEADER_BYTES as u64 + lengths,
    })
}

/// Where the entry ends: at `boundary`, with or without a descriptor before it.
pub(super) fn find_end(
    reader: &mut (impl Read + Seek),
    record: &Record,
    local: &LocalHeader,
    boundary: u64,
) -> Result<u64, ArchiveError> {
    let end = local
        .data
        .checked_add(record.compressed)
        .ok_or(ZipProblem::Overlap)?;
    let left = boundary.checked_sub(end).ok_or(ZipProblem::Overlap)?;
    if record.flags & FLAG_DESCRIPTOR == 0 {
        return if left == 0 {
            Ok(end)
        } else {
            Err(ZipProblem::Gap.into())
        };
    }
    let count = match left {
        12 | 16 | 20 | 24 => usize::try_from(left).unwrap_or_default(),
        _ => return Err(ZipProblem::Gap.into()),
    };
    let mut bytes = [0; 24];
    reader.seek(SeekFrom::Start(end))?;
    reader.read_exact(&mut bytes[..count])?;
    if descriptor_agrees(&bytes[..count], record) == Some(true) {
        Ok(boundary)
    } else {
        Err(ZipProblem::HeaderMismatch.into())
    }
}

/// Checksum and sizes once more, after an optional signature, in 32 or 64 bits.
fn descriptor_agrees(bytes: &[u8], record: &Record) -> Option<bool> {
    let mut fields = Fields(bytes);
    if matches!(bytes.len(), 16 | 24) && fields.bytes(4)? != DESCRIPTOR_SIGNATURE {
        return Some(false);
    }
    let checksum = fields.u32()?;
    let (compressed, size) = if fields.0.len() == 8 {
        (fields.u32()?.into(), fields.u32()?.into())
    } else {
        (fields.u64()?, fields.u64()?)
    };
    Some((checksum, compressed, size) == (record.checksum, record.compressed, record.head.size))
}

/// The fixed part of the header.
struct Raw {
    flags: u16,
    method: u16,
    checksum: u32,
    sizes: Sizes,
    name_length: u16,
    extra_length: u16,
}

impl Raw {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields(bytes);
        if fields.u32()? != SIGNATURE {
            return None;
        }
        fields.bytes(2)?;
        let (flags, method) = (fields.u16()?, fields.u16()?);
        fields.bytes(4)?;
        let (checksum, compressed, size) = (fields.u32()?, fields.u32()?, fields.u32()?);
        Some(Self {
            flags,
            method,
            checksum,
            sizes: Sizes {
                size: size.into(),
                compressed: compressed.into(),
                offset: None,
            },
            name_length: fields.u16()?,
            extra_length: fields.u16()?,
        })
    }
}

const ZIP64: u16 = 0x0001;
const UNICODE_PATH: u16 = 0x7075;
const ENCRYPTION: [u16; 3] = [0x0017, 0x9901, 0x0014];
/// Old Unix fields that can say "this is a link" a second time.
const UNIX_WITH_LINK: [u16; 2] = [0x000d, 0x756e];

/// Sizes and place of an entry; a header that has not room for one points to the extra field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) size: u64,
    pub(super) compressed: u64,
    /// Only the directory has it.
    pub(super) offset: Option<u64>,
}

/// Checks all extra fields of an entry and fills in the sizes that lie there.
pub(super) fn resolve(extra: &[u8], name: &[u8], sizes: Sizes) -> Result<Sizes, ArchiveError> {
    let mut fields = Fields(extra);
    let mut seen = Vec::new();
    let mut wide = None;
    while !fields.is_empty() {
        let (id, data) = split(&mut fields).ok_or(ZipProblem::ExtraField)?;
        // A field twice is one that tools disagree on.
        if seen.contains(&id) {
            return Err(ZipProblem::ExtraField.into());
        }
        seen.push(id);
        match id {
            ZIP64 => wide = Some(data),
            UNICODE_PATH if !repeats(data, name) => {
                return Err(ArchiveError::entry(name, EntryProblem::TwoNames));
            }
            _ if ENCRYPTION.contains(&id) => {
                return Err(ArchiveError::entry(name, EntryProblem::Encrypted));
            }
            _ if UNIX_WITH_LINK.contains(&id) => {
                return Err(ArchiveError::entry(
                    name,
                    EntryProblem::Unsupported("an old Unix extra field"),
                ));
            }
            _ => {}
        }
    }
    Ok(widen(wide, sizes).ok_or(ZipProblem::Zip64)?)
}

fn split<'a>(fields: &mut Fields<'a>) -> Option<(u16, &'a [u8])> {
    let id = fields.u16()?;
    let length = fields.u16()?;
    Some((id, fields.bytes(length.into())?))
}

/// Whether a Unicode path field says the name once more.
fn repeats(data: &[u8], name: &[u8]) -> bool {
    let mut fields = Fields(data);
    let (version, checksum) = (fields.bytes(1), fields.u32());
    version == Some(&[1]) && checksum == Some(crc32fast::hash(name)) && fields.0 == name
}

/// Replaces exactly the values that say "see the extra field".
fn widen(wide: Option<&[u8]>, sizes: Sizes) -> Option<Sizes> {
    const SEE_EXTRA: u64 = u32::MAX as u64;
    let mut fields = Fields(wide.unwrap_or_default());
    let mut take = |narrow: u64| {
        if narrow == SEE_EXTRA {
            fields.u64()
        } else {
            Some(narrow)
        }
    };
    let resolved = Sizes {
        size: take(sizes.size)?,
        compressed: take(sizes.compressed)?,
        offset: match sizes.offset {
            Some(offset) => Some(take(offset)?),
            None => None,
        },
    };
    // Some writers keep room for sizes that turn out small; what is there must then be the same or nothing.
    let rest = fields.0;
    let same = [resolved.size, resolved.compressed]
        .map(u64::to_le_bytes)
        .concat();
    (rest.is_empty() || rest == same || rest.iter().all(|byte| *byte == 0)).then_some(resolved)
}

/// Reads fields from the front of a slice; `None` past its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    pub(super) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(front)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (front, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*front)
    }
}

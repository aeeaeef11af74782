//! The header before each file, which must say what the directory says.

use std::io::{Read, Seek, SeekFrom};

use super::central::{FLAG_DESCRIPTOR, Record};
use super::extra::{Sizes, resolve};
use super::fields::Fields;
use crate::package::archive::error::{ArchiveError, ZipProblem};

const SIGNATURE: u32 = u32::from_le_bytes(*b"PK\x03\x04");
const DESCRIPTOR_SIGNATURE: &[u8; 4] = b"PK\x07\x08";
const HEADER_BYTES: usize = 30;

/// Where the content of an entry lies.
#[derive(Debug)]
pub(super) struct Local {
    pub(super) data: u64,
}

/// Reads the header at the reader's place and compares it with the directory's record.
pub(super) fn read(reader: &mut impl Read, record: &Record) -> Result<Local, ArchiveError> {
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
    Ok(Local {
        data: record.offset + HEADER_BYTES as u64 + lengths,
    })
}

/// Where the entry ends: at `boundary`, with or without a descriptor before it.
pub(super) fn find_end(
    reader: &mut (impl Read + Seek),
    record: &Record,
    local: &Local,
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

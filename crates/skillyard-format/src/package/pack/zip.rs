//! Writes a zip.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::DeflateEncoder;

use super::PackFile;
use crate::package::archive::Mode;

const VERSION: u16 = 20;
const MADE_ON_UNIX: u16 = 3 << 8;
const FLAG_UTF8: u16 = 1 << 11;

/// The first of January 1980, the first day the format knows.
const DATE: u16 = 1 << 5 | 1;

/// What becomes of a file's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// It is compressed where that makes it smaller.
    Deflate,
    /// It stays as it is.
    Store,
}

/// Writes `files` as they come; `None` when the format cannot hold them.
pub(super) fn write(files: &[PackFile<'_>], method: Method) -> Option<Vec<u8>> {
    let mut archive = Vec::new();
    let mut directory = Vec::new();
    for file in files {
        let offset = u32::try_from(archive.len()).ok()?;
        let deflated = match method {
            Method::Deflate => Some(deflate(file.content)),
            Method::Store => None,
        };
        let smaller = deflated.filter(|deflated| deflated.len() < file.content.len());
        let (method, data) = match &smaller {
            Some(deflated) => (8_u16, deflated.as_slice()),
            None => (0, file.content),
        };
        let fields = common_fields(file, method, data)?;
        archive.extend(b"PK\x03\x04");
        archive.extend(&fields);
        archive.extend(file.path.as_bytes());
        archive.extend(data);

        directory.extend(b"PK\x01\x02");
        directory.extend((MADE_ON_UNIX | VERSION).to_le_bytes());
        directory.extend(&fields);
        // Comment, disk and internal attributes.
        directory.extend([0; 6]);
        directory.extend((unix_mode(file.mode) << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(file.path.as_bytes());
    }
    let count = u16::try_from(files.len()).ok()?.to_le_bytes();
    let offset = u32::try_from(archive.len()).ok()?;
    let size = u32::try_from(directory.len()).ok()?;
    // These values mean "see the 64-bit record", and there is none.
    if count == [0xff; 2] || offset == u32::MAX || size == u32::MAX {
        return None;
    }
    archive.append(&mut directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend(count);
    archive.extend(count);
    archive.extend(size.to_le_bytes());
    archive.extend(offset.to_le_bytes());
    archive.extend([0; 2]);
    Some(archive)
}

/// The fields that both headers have, from the version to the length of the extra field.
fn common_fields(file: &PackFile<'_>, method: u16, data: &[u8]) -> Option<Vec<u8>> {
    let flags = if file.path.is_ascii() { 0 } else { FLAG_UTF8 };
    let mut fields = Vec::with_capacity(26);
    for field in [VERSION, flags, method, 0, DATE] {
        fields.extend(field.to_le_bytes());
    }
    fields.extend(crc32fast::hash(file.content).to_le_bytes());
    fields.extend(u32::try_from(data.len()).ok()?.to_le_bytes());
    fields.extend(u32::try_from(file.content.len()).ok()?.to_le_bytes());
    fields.extend(u16::try_from(file.path.len()).ok()?.to_le_bytes());
    fields.extend([0; 2]);
    Some(fields)
}

fn unix_mode(mode: Mode) -> u32 {
    match mode {
        Mode::Plain => 0o100_644,
        Mode::Executable => 0o100_755,
    }
}

fn deflate(content: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder
        .write_all(content)
        .expect("a vector takes every byte");
    encoder.finish().expect("a vector takes every byte")
}

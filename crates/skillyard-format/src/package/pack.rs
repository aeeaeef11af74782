//! Archives that are the same bytes for the same files.
//!
//! Files are sorted, times fixed, modes 0644 or 0755, and there are no owners and
//! no folders. The result is opened once more under the caller's limits: what is
//! packed can be unpacked, to the byte.

use std::io::{Cursor, Write as _};

use flate2::write::DeflateEncoder;
use flate2::{Compression, GzBuilder};

use crate::package::archive::{Archive, ArchiveError, Limits, Mode, OnBlemish, Rules};

/// A file to be packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackFile<'a> {
    /// Its path in the archive, separated by `/`.
    pub path: &'a str,
    /// Whether its owner may execute it.
    pub mode: Mode,
    /// Its bytes.
    pub content: &'a [u8],
}

impl<'a> PackFile<'a> {
    /// A file, by whether its owner may execute it.
    pub fn new(path: &'a str, executable: bool, content: &'a [u8]) -> Self {
        let mode = if executable {
            Mode::Executable
        } else {
            Mode::Plain
        };
        Self {
            path,
            mode,
            content,
        }
    }
}

/// What archives can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PackFormat {
    /// A tar in gzip.
    TarGz,
    /// A zip.
    Zip,
    /// A zip whose files are not compressed: the same bytes whatever the compressor does.
    ZipStored,
}

/// Why files were not packed.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// It would not be unpacked: a name, a size or a number of files is refused.
    #[error("the files cannot be packed")]
    Refused(#[from] ArchiveError),
    /// It would be left out when unpacked.
    #[error("`{0}` is left out of every skill and cannot be packed")]
    LeftOut(String),
    /// Over what the format can hold.
    #[error("the files are too many or too large for the archive's format")]
    TooLarge,
}

/// Packs `files`, in any order, under `limits`.
pub fn pack(
    files: &[PackFile<'_>],
    format: PackFormat,
    limits: &Limits,
) -> Result<Vec<u8>, PackError> {
    let mut files = files.to_vec();
    files.sort_unstable_by_key(|file| file.path);
    let bytes = match format {
        PackFormat::TarGz => write_tar_gz(&files),
        PackFormat::Zip => write_zip(&files, Method::Deflate).ok_or(PackError::TooLarge)?,
        PackFormat::ZipStored => write_zip(&files, Method::Store).ok_or(PackError::TooLarge)?,
    };
    check(&files, &bytes, limits)?;
    Ok(bytes)
}

fn check(files: &[PackFile<'_>], bytes: &[u8], limits: &Limits) -> Result<(), PackError> {
    let rules = Rules {
        limits: limits.clone(),
        on_blemish: OnBlemish::Refuse,
    };
    let archive = Archive::open(Cursor::new(bytes), rules)?;
    let mut listed = archive.listing().files();
    for file in files {
        // Order is kept, so the first difference is the file that is missing.
        if listed.next().map(|(path, ..)| path.as_str()) != Some(file.path) {
            return Err(PackError::LeftOut(file.path.to_owned()));
        }
    }
    Ok(())
}

const BLOCK: usize = 512;

/// "Unknown": the default is the system the code was built for.
const OPERATING_SYSTEM: u8 = 255;

/// Writes `files` as they come.
fn write_tar_gz(files: &[PackFile<'_>]) -> Vec<u8> {
    let mut gzip = GzBuilder::new()
        .operating_system(OPERATING_SYSTEM)
        .write(Vec::new(), Compression::best());
    let mut put = |bytes: &[u8]| gzip.write_all(bytes).expect("a vector takes every byte");
    for file in files {
        if split(file.path).is_none() {
            let record = path_record(file.path);
            put(&header("pax", Mode::Plain, record.len(), b'x'));
            put_padded(&mut put, record.as_bytes());
        }
        put(&header(file.path, file.mode, file.content.len(), b'0'));
        put_padded(&mut put, file.content);
    }
    put(&[0; 2 * BLOCK]);
    gzip.finish().expect("a vector takes every byte")
}

fn put_padded(put: &mut impl FnMut(&[u8]), content: &[u8]) {
    put(content);
    put(&[0; BLOCK][..content.len().next_multiple_of(BLOCK) - content.len()]);
}

fn header(path: &str, mode: Mode, size: usize, kind: u8) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    // A path that does not fit stands in an extended header; what is written here is then not read.
    let (prefix, name) = split(path).unwrap_or(("", "long"));
    let mode = match mode {
        Mode::Plain => "0000644",
        Mode::Executable => "0000755",
    };
    let size = format!("{size:011o}");
    for (place, text) in [
        (0, name),
        (100, mode),
        (108, "0000000"),
        (116, "0000000"),
        (124, size.as_str()),
        (136, "00000000000"),
        (148, "        "),
        (257, "ustar\x0000"),
        (345, prefix),
    ] {
        block[place..place + text.len()].copy_from_slice(text.as_bytes());
    }
    block[156] = kind;
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    let sum = format!("{sum:06o}\0 ");
    block[148..156].copy_from_slice(sum.as_bytes());
    block
}

/// The path in two fields of 155 and 100 bytes.
fn split(path: &str) -> Option<(&str, &str)> {
    if path.len() <= 100 {
        return Some(("", path));
    }
    path.match_indices('/')
        .map(|(slash, _)| (&path[..slash], &path[slash + 1..]))
        .find(|(prefix, name)| prefix.len() <= 155 && name.len() <= 100)
}

/// A PAX record counts its own digits.
fn path_record(path: &str) -> String {
    let rest = format!(" path={path}\n");
    let mut length = rest.len();
    while length != rest.len() + length.to_string().len() {
        length = rest.len() + length.to_string().len();
    }
    format!("{length}{rest}")
}

const VERSION: u16 = 20;
const MADE_ON_UNIX: u16 = 3 << 8;
const FLAG_UTF8: u16 = 1 << 11;

/// The first of January 1980, the first day the format knows.
const DATE: u16 = 1 << 5 | 1;

/// What becomes of a file's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    /// It is compressed where that makes it smaller.
    Deflate,
    /// It stays as it is.
    Store,
}

/// Writes `files` as they come; `None` when the format cannot hold them.
fn write_zip(files: &[PackFile<'_>], method: Method) -> Option<Vec<u8>> {
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

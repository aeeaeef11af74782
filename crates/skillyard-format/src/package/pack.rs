//! Archives that are the same bytes for the same files.
//!
//! Files are sorted, times fixed, modes 0644 or 0755, and there are no owners and
//! no folders. The result is opened once more under the caller's limits: what is
//! packed can be unpacked, to the byte.

mod tar;
mod zip;

use std::io::Cursor;

use self::zip::Method;
use super::archive::{Archive, ArchiveError, Limits, Mode, OnBlemish, Rules};

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
        PackFormat::TarGz => tar::write(&files),
        PackFormat::Zip => zip::write(&files, Method::Deflate).ok_or(PackError::TooLarge)?,
        PackFormat::ZipStored => zip::write(&files, Method::Store).ok_or(PackError::TooLarge)?,
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

//! A small table of what was found out about skills, kept as one checksummed file beside the index.
//!
//! It is a cache: missing or damaged, it is made anew without a word.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::index::file::checksum;
use crate::own_folder;

/// What the file starts with: its kind and its version.
pub(crate) type Magic = [u8; 8];

/// The table in `file`, if it is whole.
pub(crate) fn read<T: DeserializeOwned>(file: &Path, magic: Magic) -> Option<T> {
    let bytes = fs::read(file).ok()?;
    let bytes = bytes.strip_prefix(&magic)?;
    let (sum, rest) = bytes.split_first_chunk::<4>()?;
    let is_whole = checksum([rest]) == *sum;
    is_whole.then(|| postcard::from_bytes(rest).ok()).flatten()
}

/// Replaces the table in `file`.
pub(crate) fn write<T: Serialize>(file: &Path, magic: Magic, table: &T) -> io::Result<()> {
    let bytes = postcard::to_allocvec(table).map_err(io::Error::other)?;
    let folder = file.parent().unwrap_or(Path::new("."));
    own_folder::make(folder)?;
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(&magic)?;
    temporary.write_all(&checksum([bytes.as_slice()]))?;
    temporary.write_all(&bytes)?;
    temporary.persist(file)?;
    Ok(())
}

//! A small table of what was found out about skills, kept as one checksummed file beside the index.
//!
//! It is a cache: missing or damaged, it is made anew without a word.

use std::fs::{File, Metadata};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::index::file::checksum;
use crate::own_folder;
use crate::regular_file::{self, Links};

/// What the file starts with: its kind and its version.
pub(crate) type Magic = [u8; 8];

/// Most bytes of what is remembered, which is about hundreds of thousands of skills.
const MOST: u64 = 256 << 20;

/// Opens what is remembered; what is huge would ask for all memory.
pub(crate) fn open(file: &Path) -> Option<(File, Metadata)> {
    let opened = regular_file::open(file, Links::Followed).ok();
    opened.filter(|(_, metadata)| metadata.len() <= MOST)
}

/// All bytes of what is remembered.
pub(crate) fn bytes(file: &Path) -> Option<Vec<u8>> {
    let (file, metadata) = open(file)?;
    // With room to see that it ends there.
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).ok()? + 64);
    file.take(MOST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The table in `file`, if it is whole.
pub(crate) fn read<T: DeserializeOwned>(file: &Path, magic: Magic) -> Option<T> {
    let bytes = bytes(file)?;
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

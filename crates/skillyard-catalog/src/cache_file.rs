//! A value in a checksummed file: the catalog index and the tables beside it.
//!
//! It is a cache: a missing or damaged file is created again silently.

use std::io::{self, Write as _};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::private_dir;
use crate::regular_file::{self, Links};

/// What the file starts with: its kind and its version.
pub(crate) type Magic = [u8; 8];

/// Larger files are ignored; this is about hundreds of thousands of skills.
const MAX_BYTES: u64 = 256 << 20;

/// The value in `file`, if that is undamaged.
pub(crate) fn read<T: DeserializeOwned>(file: &Path, magic: Magic) -> Option<T> {
    let bytes = regular_file::read(file, Links::Followed, MAX_BYTES).ok()?;
    let bytes = bytes.strip_prefix(&magic)?;
    let (sum, rest) = bytes.split_first_chunk::<4>()?;
    let is_intact = crc32fast::hash(rest).to_le_bytes() == *sum;
    is_intact.then(|| postcard::from_bytes(rest).ok()).flatten()
}

/// Replaces the value in `file`.
pub(crate) fn write<T: Serialize>(file: &Path, magic: Magic, value: &T) -> io::Result<()> {
    let bytes = postcard::to_allocvec(value).map_err(io::Error::other)?;
    let folder = file.parent().unwrap_or(Path::new("."));
    private_dir::create(folder)?;
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(&magic)?;
    temporary.write_all(&crc32fast::hash(&bytes).to_le_bytes())?;
    temporary.write_all(&bytes)?;
    temporary.persist(file)?;
    Ok(())
}

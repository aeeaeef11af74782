//! The files of agents: read whole, and written at once or not at all.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use skillyard_catalog::private_dir;

use super::error::AgentError;

/// What becomes of a file that is there.
#[derive(Clone, Copy)]
pub(super) enum Old {
    /// It is an error that it is there.
    Stays,
    /// The new one takes its place.
    Goes,
}

/// Reads a file.
pub(super) fn read(path: &Path) -> Result<String, AgentError> {
    fs::read_to_string(path).map_err(|source| AgentError::Io {
        path: path.to_owned(),
        source,
    })
}

/// Writes a file at once or not at all.
pub(super) fn write(path: &Path, text: &str, old: Old) -> Result<(), AgentError> {
    let written = || {
        let folder = path.parent().unwrap_or(Path::new("."));
        private_dir::create(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        match old {
            Old::Stays => file.persist_noclobber(path)?,
            Old::Goes => file.persist(path)?,
        };
        Ok(())
    };
    written().map_err(|source: io::Error| AgentError::Io {
        path: path.to_owned(),
        source,
    })
}

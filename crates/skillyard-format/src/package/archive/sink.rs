//! The second pass: files go to whoever asked for them.

use std::io::{self, Read};

use super::census::drain;
use super::error::ArchiveError;
use super::listing::Mode;
use super::path::ArchivePath;

/// Receives the files of an archive. This crate writes nothing itself.
///
/// When delivery ends with an error, throw away what was received.
pub trait Sink {
    /// Takes one file. What is not read of `content` is read and checked afterwards;
    /// an error of `content` must be passed on.
    fn file(&mut self, path: &ArchivePath, mode: Mode, content: &mut dyn Read) -> io::Result<()>;
}

/// How much was delivered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Hands one file over, and reads it to its end so that its checksum is looked at.
pub(crate) fn hand_over(
    sink: &mut dyn Sink,
    path: &ArchivePath,
    mode: Mode,
    content: &mut dyn Read,
) -> Result<(), ArchiveError> {
    let mut watched = Watched {
        content,
        failure: None,
    };
    let taken = sink.file(path, mode, &mut watched);
    if let Some(failure) = watched.failure {
        return Err(failure.into());
    }
    taken.map_err(|source| ArchiveError::Sink {
        path: path.to_string(),
        source,
    })?;
    drain(content)?;
    Ok(())
}

/// Keeps the archive's own failure apart from the receiver's.
struct Watched<'a> {
    content: &'a mut dyn Read,
    failure: Option<io::Error>,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.failure.is_some() {
            return Err(io::Error::other("the archive could not be read"));
        }
        self.content.read(buffer).map_err(|error| {
            let repeated = io::Error::new(error.kind(), "the archive could not be read");
            self.failure = Some(error);
            repeated
        })
    }
}

//! `audit.head`: where the log ends.
//!
//! A few bytes of fixed width, written over themselves under the lock, after the line they
//! speak of. They let a writer go on without reading the log, and they tell when lines are
//! missing at its end, which the chain alone cannot.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use crate::error::AuditError;
use crate::files::{Folder, HEAD};
use crate::hash::Hash;

/// Where the log ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    /// The number of the last line.
    pub(crate) seq: u64,
    /// Its hash.
    pub(crate) hash: Hash,
    /// The size of the file it is in.
    pub(crate) size: u64,
    /// The inode of that file.
    pub(crate) inode: u64,
}

const LENGTH: usize = 20 + 1 + 64 + 1 + 20 + 1 + 20 + 1;

impl Head {
    /// Before the first line.
    pub(crate) const START: Self = Self {
        seq: 0,
        hash: Hash::NONE,
        size: 0,
        inode: 0,
    };

    /// Reads the head; nothing if there is none or it makes no sense. A disk that cannot be read says
    /// nothing about what is on it.
    pub(crate) fn read(folder: &Folder, file: &File) -> Result<Option<Self>, AuditError> {
        let mut bytes = [0; LENGTH];
        match file.read_exact_at(&mut bytes, 0) {
            Ok(()) => Ok(Self::parse(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(folder.failed(HEAD, error)),
        }
    }

    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?.strip_suffix('\n')?;
        let mut fields = text.split(' ');
        let head = Self {
            seq: fields.next()?.parse().ok()?,
            hash: Hash::from_hex(fields.next()?.as_bytes())?,
            size: fields.next()?.parse().ok()?,
            inode: fields.next()?.parse().ok()?,
        };
        fields.next().is_none().then_some(head)
    }

    /// Writes the head in one piece.
    pub(crate) fn write(&self, folder: &Folder, file: &File) -> Result<(), AuditError> {
        let text = format!(
            "{:020} {} {:020} {:020}\n",
            self.seq, self.hash, self.size, self.inode
        );
        file.write_all_at(text.as_bytes(), 0)
            .map_err(|error| folder.failed(HEAD, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Else a disk that fails once would be told for ever as lines that somebody took away.
    #[test]
    fn a_head_that_cannot_be_read_is_not_missing() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::make(place.path()).unwrap();
        let path = place.path().join(HEAD);
        // It is open for writing alone, so reading fails.
        let file = File::create(&path).unwrap();
        Head::START.write(&folder, &file).unwrap();
        assert!(Head::read(&folder, &file).is_err());
        let file = File::open(&path).unwrap();
        assert_eq!(Head::read(&folder, &file).unwrap(), Some(Head::START));
        std::fs::write(&path, "half").unwrap();
        assert_eq!(Head::read(&folder, &file).unwrap(), None);
    }
}

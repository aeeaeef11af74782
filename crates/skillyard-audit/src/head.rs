//! `audit.head`: where the log ends.
//!
//! A few bytes of fixed width, written over themselves under the lock, after the line they
//! speak of. They let a writer go on without reading the log, and they tell when lines are
//! missing at its end, which the chain alone cannot.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::{fmt, io};

use ring::digest::{SHA256, digest};

use crate::error::AuditError;
use crate::files::{HEAD, LogFolder};

/// Where the log ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LogHead {
    /// The number of the last line.
    pub(crate) seq: u64,
    /// Its hash.
    pub(crate) hash: Hash,
    /// The size of the file it is in.
    pub(crate) size: u64,
    /// The inode of that file.
    pub(crate) inode: u64,
}

const HEAD_BYTES: usize = 20 + 1 + 64 + 1 + 20 + 1 + 20 + 1;

impl LogHead {
    /// Before the first line.
    pub(crate) const START: Self = Self {
        seq: 0,
        hash: Hash::NONE,
        size: 0,
        inode: 0,
    };

    /// Reads the head; nothing if there is none or it makes no sense. A disk that cannot be read says
    /// nothing about what is on it.
    pub(crate) fn read(folder: &LogFolder, file: &File) -> Result<Option<Self>, AuditError> {
        let mut bytes = [0; HEAD_BYTES];
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
    pub(crate) fn write(&self, folder: &LogFolder, file: &File) -> Result<(), AuditError> {
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
        let folder = LogFolder::make(place.path()).unwrap();
        let path = place.path().join(HEAD);
        // It is open for writing alone, so reading fails.
        let file = File::create(&path).unwrap();
        LogHead::START.write(&folder, &file).unwrap();
        assert!(LogHead::read(&folder, &file).is_err());
        let file = File::open(&path).unwrap();
        assert_eq!(LogHead::read(&folder, &file).unwrap(), Some(LogHead::START));
        std::fs::write(&path, "half").unwrap();
        assert_eq!(LogHead::read(&folder, &file).unwrap(), None);
    }
}

/// The hash of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Hash([u8; 32]);

impl Hash {
    /// What the first line of a log names as the line before.
    pub const NONE: Self = Self([0; 32]);

    /// The hash of bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut hash = [0; 32];
        hash.copy_from_slice(digest(&SHA256, bytes).as_ref());
        Self(hash)
    }

    /// Reads 64 hexadecimal digits.
    pub fn from_hex(digits: &[u8]) -> Option<Self> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(digits, &mut bytes).ok()?;
        // Only one way to write it: a change of case is a change.
        let lower = digits.iter().all(|digit| !digit.is_ascii_uppercase());
        lower.then_some(Self(bytes))
    }

    /// 64 hexadecimal digits.
    pub fn to_hex(self) -> String {
        hex::encode(self.0)
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.to_hex())
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.to_hex())
    }
}

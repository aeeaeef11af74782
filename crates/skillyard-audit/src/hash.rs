//! The hash of a line, which has one form only.

use std::fmt;

use ring::digest::{SHA256, digest};

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

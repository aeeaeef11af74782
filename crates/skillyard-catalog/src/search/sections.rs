//! The sections of a stored index: each a length and so many bytes.

use super::bytes::IndexBytesError;
use super::texts::Texts;

/// Writes a section as it is.
pub(super) fn push_bytes(bytes: &mut Vec<u8>, part: &[u8]) {
    bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
    bytes.extend_from_slice(part);
}

/// Writes a section of numbers.
pub(super) fn push_numbers(bytes: &mut Vec<u8>, numbers: &[u32]) {
    bytes.extend_from_slice(&(numbers.len() as u64 * 4).to_le_bytes());
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

/// Writes a section of texts, and one with their ends.
pub(super) fn push_texts(bytes: &mut Vec<u8>, texts: &Texts) {
    let (joined, ends) = texts.parts();
    push_bytes(bytes, joined.as_bytes());
    push_numbers(bytes, ends);
}

/// What is left of the bytes to read.
pub(super) struct Reader<'a> {
    pub(super) rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// A section as it is.
    pub(super) fn bytes(&mut self, section: &'static str) -> Result<&'a [u8], IndexBytesError> {
        let cut = IndexBytesError::Length { section };
        let (length, rest) = self
            .rest
            .split_first_chunk::<8>()
            .ok_or_else(|| cut.clone())?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| cut.clone())?;
        let (part, rest) = rest.split_at_checked(length).ok_or(cut)?;
        self.rest = rest;
        Ok(part)
    }

    /// A section of numbers.
    pub(super) fn numbers(&mut self, section: &'static str) -> Result<Vec<u32>, IndexBytesError> {
        let (words, odd) = self.bytes(section)?.as_chunks::<4>();
        require(odd.is_empty(), section)?;
        Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    /// A section of texts, and the one with their ends.
    pub(super) fn texts(&mut self, section: &'static str) -> Result<Texts, IndexBytesError> {
        let inconsistent = IndexBytesError::Inconsistent { section };
        let joined = str::from_utf8(self.bytes(section)?)
            .map_err(|_| inconsistent.clone())?
            .to_owned();
        let ends = self.numbers(section)?;
        Texts::from_parts(joined, ends).ok_or(inconsistent)
    }
}

/// An error that names the section, unless `holds`.
pub(super) fn require(holds: bool, section: &'static str) -> Result<(), IndexBytesError> {
    if holds {
        Ok(())
    } else {
        Err(IndexBytesError::Inconsistent { section })
    }
}

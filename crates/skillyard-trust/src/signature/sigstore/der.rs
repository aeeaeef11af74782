//! DER elements, taken apart and put together, for the structures no crate here knows.

use x509_cert::der::asn1::ObjectIdentifier;

/// Tags that are read here.
pub(super) const INTEGER: u8 = 0x02;
pub(super) const OCTETS: u8 = 0x04;
pub(super) const OBJECT: u8 = 0x06;
pub(super) const GENERALIZED_TIME: u8 = 0x18;
pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const SET: u8 = 0x31;

/// The first element: its tag, its content, and what follows it.
pub(super) fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = bytes.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
        if digits.len() > 3 {
            return None;
        }
        let length = digits
            .iter()
            .fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        (length, rest)
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}

/// An element around the content.
pub(super) fn wrapped(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![tag];
    let length = content.len().to_be_bytes();
    let digits = &length[length.iter().take_while(|byte| **byte == 0).count()..];
    match digits {
        [] => bytes.push(0),
        [only] if *only < 0x80 => bytes.push(*only),
        _ => {
            bytes.push(0x80 | u8::try_from(digits.len()).unwrap_or(u8::MAX));
            bytes.extend(digits);
        }
    }
    bytes.extend(content);
    bytes
}

/// Reads elements one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct DerReader<'a>(pub(super) &'a [u8]);

impl<'a> DerReader<'a> {
    /// The content of the next element if it has this tag; else nothing is read.
    pub(super) fn take(&mut self, expected: u8) -> Option<&'a [u8]> {
        let (tag, content, rest) = element(self.0)?;
        if tag != expected {
            return None;
        }
        self.0 = rest;
        Some(content)
    }

    /// The next element, whatever it is.
    pub(super) fn any(&mut self) -> Option<(u8, &'a [u8])> {
        let (tag, content, rest) = element(self.0)?;
        self.0 = rest;
        Some((tag, content))
    }

    /// The inside of the next element.
    pub(super) fn enter(&mut self, expected: u8) -> Option<DerReader<'a>> {
        self.take(expected).map(DerReader)
    }

    /// Whether the next element is this object identifier.
    pub(super) fn is_object(&mut self, id: ObjectIdentifier) -> bool {
        self.take(OBJECT) == Some(id.as_bytes())
    }

    /// The next object identifier.
    pub(super) fn object(&mut self) -> Option<ObjectIdentifier> {
        ObjectIdentifier::from_bytes(self.take(OBJECT)?).ok()
    }

    /// Whether nothing is left.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

//! Posting lists: for one word, the documents that hold it and how often, field by field.
//!
//! Most postings are of words that stand only in the body. They are two numbers: the distance to the previous document with a low
//! bit saying "body only", and the count. The others have a byte naming the fields, then one count each.

use super::document::Field;
use super::varint;

/// How often a word stands in one document, by field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Posting {
    /// The document's number.
    pub document: u32,
    /// Counts in the order of [`Field::ALL`].
    pub counts: [u32; Field::COUNT],
}

const BODY: usize = Field::Body as usize;

impl Posting {
    /// How often the word stands in the whole document.
    #[inline]
    pub(super) fn total(&self) -> f32 {
        self.counts
            .iter()
            .map(|count| u64::from(*count))
            .sum::<u64>() as f32
    }

    /// Whether the word stands outside the body.
    #[inline]
    pub(super) fn in_head(&self) -> bool {
        self.counts[..BODY]
            .iter()
            .fold(0, |bits, count| bits | count)
            != 0
    }
}

/// Appends one posting; `previous` is the document of the posting before it in the same list.
pub(super) fn push(bytes: &mut Vec<u8>, previous: Option<u32>, posting: &Posting) {
    let distance = posting.document - previous.map_or(0, |previous| previous + 1);
    let in_head = posting.in_head();
    varint::push(bytes, distance.saturating_mul(2) | u32::from(in_head));
    if in_head {
        let mask = (0..Field::COUNT)
            .filter(|field| posting.counts[*field] > 0)
            .fold(0, |mask, field| mask | 1 << field);
        bytes.push(mask);
        posting
            .counts
            .iter()
            .filter(|count| **count > 0)
            .for_each(|count| varint::push(bytes, *count));
    } else {
        varint::push(bytes, posting.counts[BODY]);
    }
}

/// Reads a list; it ends at the first byte that makes no sense, so damaged lists are short and never a panic.
pub(super) struct Postings<'a> {
    bytes: &'a [u8],
    next: u32,
    documents: u32,
}

impl<'a> Postings<'a> {
    /// A reader over the bytes of one list, in a collection of so many documents.
    pub(super) fn new(bytes: &'a [u8], documents: usize) -> Self {
        Self {
            bytes,
            next: 0,
            documents: u32::try_from(documents).unwrap_or(u32::MAX),
        }
    }
}

impl Iterator for Postings<'_> {
    type Item = Posting;

    #[inline]
    fn next(&mut self) -> Option<Posting> {
        let first = varint::take(&mut self.bytes)?;
        let document = self
            .next
            .checked_add(first >> 1)
            .filter(|document| *document < self.documents)?;
        self.next = document + 1;
        let mut posting = Posting {
            document,
            ..Posting::default()
        };
        if first & 1 == 0 {
            posting.counts[BODY] = varint::take(&mut self.bytes)?;
        } else {
            let (mask, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            for (field, count) in posting.counts.iter_mut().enumerate() {
                if mask & (1 << field) != 0 {
                    *count = varint::take(&mut self.bytes)?;
                }
            }
        }
        Some(posting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn reads_what_it_wrote(list in proptest::collection::btree_map(0_u32..1 << 20, proptest::array::uniform5(0_u32..300), 0..40)) {
            let list: Vec<Posting> = list.into_iter().map(|(document, counts)| Posting { document, counts }).collect();
            let mut bytes = Vec::new();
            let mut previous = None;
            for posting in &list {
                push(&mut bytes, previous, posting);
                previous = Some(posting.document);
            }
            prop_assert_eq!(Postings::new(&bytes, 1 << 20).collect::<Vec<_>>(), list);
        }

        #[test]
        fn survives_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut last = None;
            for posting in Postings::new(&bytes, 1 << 20) {
                assert!(last < Some(posting.document));
                last = Some(posting.document);
            }
        }
    }
}

//! The searchable form of a collection of skills.
//!
//! Everything is in flat columns and one byte string of postings, the same in memory as stored, so that loading is a read and a
//! check, and nothing is rebuilt for a query.

use super::document::{Document, Field};
use super::pattern::Pattern;
use super::posting::Postings;
use super::texts::Texts;
use super::vocabulary::{TermId, Vocabulary};

/// A collection of skills, ready to be searched.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Index {
    pub(super) names: Texts,
    pub(super) ids: Texts,
    /// Words per field and document, in the order of [`Field::ALL`].
    pub(super) lengths: Vec<[u32; Field::COUNT]>,
    pub(super) vocabulary: Vocabulary,
    pub(super) postings: Vec<u8>,
    pub(super) patterns: Vec<Pattern>,
    /// The mean length of each field, over the documents that have it.
    pub(super) averages: [f32; Field::COUNT],
    /// The length of each document's whole text, in parts of the mean.
    pub(super) text_lengths: Vec<f32>,
}

impl Index {
    /// Indexes documents; hits name them by their place in this order.
    pub fn build<'a>(documents: impl IntoIterator<Item = Document<'a>>) -> Self {
        super::build::build(documents)
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether there is nothing to find.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// The name of a document; empty past the end.
    pub fn name(&self, document: u32) -> &str {
        self.names.get(document as usize)
    }

    /// The identifier of a document; empty past the end.
    pub fn id(&self, document: u32) -> &str {
        self.ids.get(document as usize)
    }

    /// How many bytes the index holds in memory, compiled patterns aside.
    pub fn memory(&self) -> usize {
        self.names.memory()
            + self.ids.memory()
            + self.vocabulary.memory()
            + self.lengths.len() * (size_of::<[u32; Field::COUNT]>() + size_of::<f32>())
            + self.postings.len()
    }

    /// The documents that hold a word.
    pub(super) fn postings(&self, term: TermId) -> Postings<'_> {
        let range = self.vocabulary.posting_range(term);
        Postings::new(self.postings.get(range).unwrap_or_default(), self.len())
    }

    /// Computes what is derived and not stored.
    pub(super) fn finish(mut self) -> Self {
        for field in 0..Field::COUNT {
            let total: u64 = self
                .lengths
                .iter()
                .map(|lengths| u64::from(lengths[field]))
                .sum();
            let holders = self
                .lengths
                .iter()
                .filter(|lengths| lengths[field] > 0)
                .count();
            self.averages[field] = (total as f32 / holders.max(1) as f32).max(1.0);
        }
        let text_length = |lengths: &[u32; Field::COUNT]| -> u64 {
            lengths.iter().map(|length| u64::from(*length)).sum()
        };
        let total: u64 = self.lengths.iter().map(text_length).sum();
        let average = (total as f32 / self.len().max(1) as f32).max(1.0);
        self.text_lengths = self
            .lengths
            .iter()
            .map(|lengths| text_length(lengths) as f32 / average)
            .collect();
        self
    }
}

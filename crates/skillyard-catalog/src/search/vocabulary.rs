//! The words of a collection, sorted, each with its postings.
//!
//! Looking a word up is a binary search. Words near a misspelt one are found by a scan of those with the same first letter, after a
//! filter on the letters they contain: a fraction of a millisecond, and only for words that the collection does not know.

use std::cmp::Reverse;

use super::index::{Field, Posting};

/// A word's position in the sorted vocabulary.
pub(super) type TermId = u32;

/// Longer words are never near another.
const MAX_NEAR_LENGTH: usize = 48;

/// A word of the collection, and where it occurs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) word: String,
    pub(super) postings: Vec<Posting>,
    /// How many documents have the word outside the body.
    pub(super) head_count: u32,
    /// Whether it is in a name and may be several words written together.
    is_compound: bool,
    letters: u32,
}

impl Term {
    pub(super) fn new(word: &str) -> Self {
        Self {
            word: word.to_owned(),
            letters: letters(word),
            ..Self::default()
        }
    }

    /// Counts the word in a document that is not before those counted already.
    pub(super) fn count(&mut self, document: u32, field: Field) {
        if self.postings.last().map(|last| last.document) != Some(document) {
            self.postings.push(Posting {
                document,
                ..Posting::default()
            });
        }
        if let Some(posting) = self.postings.last_mut() {
            let count = &mut posting.counts[field as usize];
            *count = count.saturating_add(1);
        }
    }

    /// Computes what depends on all postings.
    pub(super) fn finish(&mut self, min_compound_length: usize, max_compound_documents: usize) {
        self.postings.shrink_to_fit();
        self.head_count = self.postings.iter().filter(|each| each.in_head()).count() as u32;
        self.is_compound = self.word.len() >= min_compound_length
            && self.postings.len() <= max_compound_documents
            && self
                .postings
                .iter()
                .any(|each| each.counts[Field::Name as usize] > 0);
    }

    /// How many documents have the word.
    pub(super) fn document_count(&self) -> u32 {
        self.postings.len() as u32
    }

    fn use_order(&self) -> Reverse<(u32, u32)> {
        Reverse((self.head_count, self.document_count()))
    }
}

/// The sorted words of a collection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Vocabulary {
    terms: Vec<Term>,
    compounds: Vec<TermId>,
}

impl Vocabulary {
    pub(super) fn new(mut terms: Vec<Term>) -> Self {
        terms.sort_unstable_by(|left, right| left.word.cmp(&right.word));
        let compounds = (0..).zip(&terms).filter(|(_, term)| term.is_compound);
        Self {
            compounds: compounds.map(|(id, _)| id).collect(),
            terms,
        }
    }

    pub(super) fn term(&self, id: TermId) -> &Term {
        &self.terms[id as usize]
    }

    pub(super) fn find(&self, word: &str) -> Option<TermId> {
        let found = self
            .terms
            .binary_search_by(|term| term.word.as_str().cmp(word));
        found.ok().map(|place| place as TermId)
    }

    /// Words that begin with `start` and are longer, the most used first.
    pub(super) fn beginning_with(&self, start: &str, limit: usize) -> Vec<TermId> {
        let mut found: Vec<TermId> = self
            .with_prefix(start)
            .filter(|(_, term)| term.word.len() > start.len())
            .map(|(id, _)| id)
            .collect();
        found.sort_by_key(|id| (self.term(*id).use_order(), *id));
        found.truncate(limit);
        found
    }

    /// Words within `max_edits` edits of one of `spellings` that share the first letter, nearest first, then the most used.
    ///
    /// The first letter is rarely mistyped, and sharing it keeps `train` from becoming `brain`.
    pub(super) fn near(
        &self,
        spellings: &[&str],
        max_edits: usize,
        limit: usize,
    ) -> Vec<(TermId, usize)> {
        let first = spellings.first().and_then(|each| each.chars().next());
        let Some(first) = first else {
            return Vec::new();
        };
        let wanted: Vec<(&str, u32)> = spellings
            .iter()
            .map(|spelling| (*spelling, letters(spelling)))
            .collect();
        let mut found = Vec::new();
        for (id, term) in self.with_prefix(first.encode_utf8(&mut [0; 4])) {
            let nearest = wanted
                .iter()
                .filter(|(_, wanted)| {
                    (term.letters ^ wanted).count_ones() as usize <= 2 * max_edits
                })
                .filter_map(|(wanted, _)| edits(wanted, &term.word, max_edits))
                .min();
            found.extend(nearest.map(|edits| (id, edits)));
        }
        found.sort_by_key(|(id, edits)| (*edits, self.term(*id).use_order(), *id));
        found.truncate(limit);
        found
    }

    /// Names written without gaps that begin or end with `part`.
    pub(super) fn compounds_of(&self, part: &str, limit: usize) -> Vec<TermId> {
        let is_part = |word: &str| {
            word.len() > part.len() + 1 && (word.starts_with(part) || word.ends_with(part))
        };
        let compounds = self.compounds.iter().copied();
        compounds
            .filter(|id| is_part(&self.term(*id).word))
            .take(limit)
            .collect()
    }

    fn with_prefix(&self, start: &str) -> impl Iterator<Item = (TermId, &Term)> {
        let from = self
            .terms
            .partition_point(|term| term.word.as_str() < start);
        let terms = self.terms[from..].iter();
        let terms = terms.take_while(move |term| term.word.starts_with(start));
        (from as TermId..).zip(terms)
    }
}

/// The edits that are forgiven in a word: none in short words, where every word is near another.
pub(super) fn forgiven_edits(word: &str) -> usize {
    match word.chars().count() {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// Which letters a word contains, one bit each; words within `n` edits differ in at most `2n` bits.
fn letters(word: &str) -> u32 {
    word.chars()
        .fold(0, |bits, character| bits | 1 << (u32::from(character) % 31))
}

/// The number of insertions, deletions, replacements and swaps of neighbors between two words, if at most `limit`.
fn edits(left: &str, right: &str, limit: usize) -> Option<usize> {
    let (left_length, right_length) = (left.chars().count(), right.chars().count());
    if left_length.abs_diff(right_length) > limit || right_length > MAX_NEAR_LENGTH {
        return None;
    }
    Some(strsim::osa_distance(left, right)).filter(|edits| *edits <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vocabulary() -> Vocabulary {
        let word = |word: &str, documents: u32, field| {
            let mut term = Term::new(word);
            (0..documents).for_each(|document| term.count(document, field));
            term.finish(8, 2);
            term
        };
        Vocabulary::new(vec![
            word("weather", 2, Field::Tags),
            word("whether", 2, Field::Body),
            word("diceroller", 1, Field::Name),
            word("kuberlet", 1, Field::Body),
            word("kubernet", 3, Field::Tags),
        ])
    }

    #[test]
    fn finds_words_exactly_by_prefix_and_by_part() {
        let words = vocabulary();
        assert_eq!(
            (
                words.find("weather"),
                words.find("weath"),
                words.find("zoo")
            ),
            (Some(3), None, None)
        );
        assert_eq!(words.beginning_with("kube", 9), [2, 1]);
        assert_eq!(words.beginning_with("kubernet", 9), [] as [TermId; 0]);
        assert_eq!(
            (
                words.compounds_of("dice", 9),
                words.compounds_of("roller", 9)
            ),
            (vec![0], vec![0])
        );
        assert!(words.compounds_of("ceroll", 9).is_empty());
    }

    #[test]
    fn finds_near_words_nearest_and_most_used_first() {
        let words = vocabulary();
        assert_eq!(words.near(&["wether"], 1, 9), [(3, 1), (4, 1)]);
        assert_eq!(words.near(&["kubernets", "kubernet"], 2, 1), [(2, 0)]);
        assert!(words.near(&["heather"], 1, 9).is_empty() && words.near(&[], 1, 9).is_empty());
    }

    #[test]
    fn counts_edits() {
        assert_eq!(edits("weather", "weather", 2), Some(0));
        assert_eq!(edits("wether", "weather", 2), Some(1));
        assert_eq!(edits("waether", "weather", 2), Some(1));
        assert_eq!(edits("kubernets", "kubernetes", 2), Some(1));
        assert_eq!(edits("calender", "calendar", 2), Some(1));
        assert_eq!(edits("pdf", "xlsx", 2), None);
        assert_eq!(edits(&"x".repeat(60), &"x".repeat(60), 2), None);
    }

    proptest! {
        #[test]
        fn edits_are_symmetric_and_the_letter_filter_loses_nothing(left in "[a-eé]{0,8}", right in "[a-eé]{0,8}") {
            prop_assert_eq!(edits(&left, &right, 2), edits(&right, &left, 2));
            if let Some(edits) = edits(&left, &right, 2) {
                prop_assert!((letters(&left) ^ letters(&right)).count_ones() as usize <= 2 * edits);
            }
        }
    }
}

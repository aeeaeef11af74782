//! The words of a collection, sorted, each with the number of documents that hold it and the place of its postings.
//!
//! Looking a word up is a binary search. Words near a misspelt one are found by a scan of those with the same first letter, behind a
//! filter on the letters they hold: a fraction of a millisecond, and only for words that the collection does not know.

use std::cmp::Reverse;
use std::ops::Range;

use super::spelling;
use super::texts::Texts;

/// A word's place in the sorted vocabulary.
pub(super) type TermId = u32;

/// The sorted words of a collection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Vocabulary {
    pub(super) terms: Texts,
    /// Documents that hold the word anywhere.
    pub(super) document_counts: Vec<u32>,
    /// Documents that hold the word outside the body.
    pub(super) head_counts: Vec<u32>,
    /// Where the word's postings end; they begin where those of the word before end.
    pub(super) posting_ends: Vec<u32>,
    /// Words of names that may be several words written together.
    pub(super) compounds: Vec<TermId>,
    letters: Vec<u32>,
}

impl Vocabulary {
    /// Puts the columns together; the caller has checked that they are of one length and that `terms` is sorted.
    pub(super) fn new(
        terms: Texts,
        document_counts: Vec<u32>,
        head_counts: Vec<u32>,
        posting_ends: Vec<u32>,
        compounds: Vec<TermId>,
    ) -> Self {
        let letters = terms.iter().map(spelling::letters).collect();
        Self {
            terms,
            document_counts,
            head_counts,
            posting_ends,
            compounds,
            letters,
        }
    }

    /// How many words there are.
    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The word of an id.
    pub(super) fn term(&self, id: TermId) -> &str {
        self.terms.get(id as usize)
    }

    /// The id of a word.
    pub(super) fn find(&self, word: &str) -> Option<TermId> {
        let place = self.lower_bound(word);
        (place < self.len() && self.terms.get(place) == word).then_some(place as TermId)
    }

    /// Words that begin with `start` and are longer, the most used first.
    pub(super) fn beginning_with(&self, start: &str, limit: usize) -> Vec<TermId> {
        let from = self.lower_bound(start);
        let mut found: Vec<TermId> = (from..self.len())
            .take_while(|place| self.terms.get(*place).starts_with(start))
            .filter(|place| self.terms.get(*place).len() > start.len())
            .map(|place| place as TermId)
            .collect();
        found.sort_by_key(|id| (self.use_order(*id), *id));
        found.truncate(limit);
        found
    }

    /// Words within `distance` edits of one of `spellings` that share the first letter, nearest first, then the most used.
    ///
    /// Hardly anybody mistypes the first letter, and sharing it keeps `train` from becoming `brain`.
    pub(super) fn near(
        &self,
        spellings: &[&str],
        distance: usize,
        limit: usize,
    ) -> Vec<(TermId, usize)> {
        let Some(first) = spellings
            .first()
            .and_then(|spelling| spelling.chars().next())
        else {
            return Vec::new();
        };
        let wanted: Vec<(Vec<char>, u32)> = spellings
            .iter()
            .map(|spelling| (spelling.chars().collect(), spelling::letters(spelling)))
            .collect();
        let mut found = Vec::new();
        let from = self.lower_bound(first.encode_utf8(&mut [0; 4]));
        for place in
            (from..self.len()).take_while(|place| self.terms.get(*place).starts_with(first))
        {
            let nearest = wanted
                .iter()
                .filter(|(_, wanted)| {
                    (self.letters[place] ^ wanted).count_ones() as usize <= 2 * distance
                })
                .filter_map(|(wanted, _)| {
                    spelling::distance(wanted, self.terms.get(place), distance)
                })
                .min();
            if let Some(edits) = nearest {
                found.push((place as TermId, edits));
            }
        }
        found.sort_by_key(|(id, edits)| (*edits, self.use_order(*id), *id));
        found.truncate(limit);
        found
    }

    /// Names written without gaps that begin or end with `part`.
    pub(super) fn compounds_of(&self, part: &str, limit: usize) -> Vec<TermId> {
        let letters = spelling::letters(part);
        self.compounds
            .iter()
            .copied()
            .filter(|id| letters & !self.letters[*id as usize] == 0)
            .filter(|id| {
                let term = self.term(*id);
                term.len() > part.len() + 1 && (term.starts_with(part) || term.ends_with(part))
            })
            .take(limit)
            .collect()
    }

    /// Where a word's postings are.
    pub(super) fn posting_range(&self, id: TermId) -> Range<usize> {
        let place = id as usize;
        let end_of = |place: usize| self.posting_ends.get(place).map_or(0, |end| *end as usize);
        place.checked_sub(1).map_or(0, end_of)..end_of(place)
    }

    /// How many documents hold a word outside the body.
    pub(super) fn head_count(&self, id: TermId) -> u32 {
        self.head_counts[id as usize]
    }

    /// How many documents hold a word.
    pub(super) fn document_count(&self, id: TermId) -> u32 {
        self.document_counts[id as usize]
    }

    /// How many bytes it holds in memory.
    pub(super) fn memory(&self) -> usize {
        self.terms.memory() + self.len() * 4 * size_of::<u32>()
    }

    fn use_order(&self, id: TermId) -> Reverse<(u32, u32)> {
        Reverse((self.head_count(id), self.document_count(id)))
    }

    fn lower_bound(&self, word: &str) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.terms.get(middle) < word {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> Vocabulary {
        let terms = ["diceroller", "kuberlet", "kubernet", "weather", "whether"];
        Vocabulary::new(
            terms.into_iter().collect(),
            vec![1, 1, 3, 2, 2],
            vec![1, 0, 3, 2, 0],
            vec![4, 8, 9, 9, 12],
            vec![0],
        )
    }

    #[test]
    fn finds_words_exactly_by_beginning_and_by_part() {
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
    fn postings_follow_each_other() {
        let words = vocabulary();
        let ranges: Vec<_> = (0..5).map(|id| words.posting_range(id)).collect();
        assert_eq!(ranges, [0..4, 4..8, 8..9, 9..9, 9..12]);
    }
}

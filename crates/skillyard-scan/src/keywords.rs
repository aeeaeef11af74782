//! Which rules and signals are worth asking about which unit, by the words that it holds.
//!
//! The words of all of them are looked for in one pass, the one that makes the sketch of the unit:
//! tables of bits tell whether a word starts with four bytes, and only then the words themselves
//! are compared. Nearly all bytes start none.

use std::ops::Range;
use std::sync::LazyLock;

use crate::facts::SIGNALS;
use crate::findings::Check;
use crate::pattern::trigrams::{KeywordPrefixes, TRIGRAM_SLOTS, Trigrams, slot, slots};
use crate::rules::ALL;

/// Approximate number of keywords, with repetitions.
const EXPECTED_KEYWORDS: usize = 2048;

/// What a word makes worth asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Candidate {
    Signal(usize),
    Rule(usize),
}

/// What is worth asking about a unit, a bit for each question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct CandidateSet(u128);

/// The words of all rules and signals.
pub(super) struct KeywordIndex {
    /// What words start with.
    starts: KeywordPrefixes,
    /// The words of each place: where they start in `heads` and in `tails`.
    cells: Vec<u16>,
    /// What nearly all words are ruled out by, close together.
    heads: Vec<KeywordHead>,
    tails: Vec<KeywordTail>,
    /// Words of one or two bytes.
    tiny: Vec<(&'static str, u128)>,
}

/// The first eight bytes of a word, and which of the eight it has.
struct KeywordHead {
    bytes: u64,
    mask: u64,
}

/// What follows them, and what the word makes worth asking.
struct KeywordTail {
    rest: &'static [u8],
    candidates: u128,
}

/// The words, put in order when they are first needed.
pub(super) static KEYWORDS: LazyLock<KeywordIndex> = LazyLock::new(KeywordIndex::new);

impl Candidate {
    /// Its bit; signals come first. A test sees to it that there is room for all.
    fn bit(self) -> u128 {
        let slot = match self {
            Self::Signal(index) => index,
            Self::Rule(index) => SIGNALS.len() + index,
        };
        1 << slot
    }
}

impl CandidateSet {
    /// Whether there are none.
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those that are about signals, and those that are about rules.
    pub(super) fn split(self) -> (Self, Self) {
        let signals = (1 << SIGNALS.len()) - 1;
        (Self(self.0 & signals), Self(self.0 & !signals))
    }

    /// Each of them, in order.
    pub(super) fn all(self) -> impl Iterator<Item = Candidate> {
        let mut set = self.0;
        std::iter::from_fn(move || {
            let slot = set.trailing_zeros() as usize;
            set &= set.checked_sub(1)?;
            Some(match slot.checked_sub(SIGNALS.len()) {
                Some(index) => Candidate::Rule(index),
                None => Candidate::Signal(slot),
            })
        })
    }
}

impl KeywordIndex {
    fn new() -> Self {
        let signals = SIGNALS.iter().enumerate().flat_map(|(index, signal)| {
            let bit = Candidate::Signal(index).bit();
            signal.words.iter().map(move |word| (*word, bit))
        });
        let rules = ALL.iter().enumerate().flat_map(|(index, rule)| {
            let words = match rule.check {
                Check::Unit { keywords, .. } => keywords,
                Check::Skill(_) => &[],
            };
            let bit = Candidate::Rule(index).bit();
            words.iter().map(move |word| (*word, bit))
        });
        let (mut words, mut tiny) = (Vec::with_capacity(EXPECTED_KEYWORDS), Vec::new());
        let mut starts = KeywordPrefixes::empty();
        for (word, question) in signals.chain(rules) {
            starts.add(word.as_bytes());
            match slots(word.as_bytes()).next() {
                Some(slot) => words.push((slot, word, question)),
                None => tiny.push((word, question)),
            }
        }
        words.sort_unstable_by_key(|(slot, word, _)| (*slot, *word));
        words.dedup_by(|(_, word, question), (_, kept, candidates)| {
            let is_same = word == kept;
            if is_same {
                *candidates |= *question;
            }
            is_same
        });
        let mut cells = vec![0; TRIGRAM_SLOTS + 1];
        for (slot, ..) in &words {
            cells[slot + 1] += 1;
        }
        let mut sum = 0;
        for cell in &mut cells {
            sum += *cell;
            *cell = sum;
        }
        let parts = words.iter().map(|(_, word, candidates)| {
            let (head, rest) = KeywordHead::of(word.as_bytes());
            let candidates = *candidates;
            (head, KeywordTail { rest, candidates })
        });
        let (heads, tails) = parts.unzip();
        Self {
            starts,
            cells,
            heads,
            tails,
            tiny,
        }
    }

    /// What is worth asking about a unit, whose sketch is made on the way.
    ///
    /// A function of its own, whose few values a processor keeps at hand.
    #[inline(never)]
    pub(super) fn candidates(&self, unit: &str, sketch: &mut Trigrams) -> CandidateSet {
        let bytes = unit.as_bytes();
        let mut set = 0;
        sketch.read_with_prefixes(unit, &self.starts, |start, found| {
            for offset in found {
                let at = start + usize::from(*offset);
                let next = next_eight(bytes, at);
                let cell = self.starting_with(next);
                let heads = self.heads[cell.clone()].iter();
                for (head, tail) in heads.zip(&self.tails[cell]) {
                    if head.begins(next) && tail.is_at(bytes, at) {
                        set |= tail.candidates;
                    }
                }
            }
        });
        if may_hold_tiny(bytes) {
            let held = self.tiny.iter().filter(|(word, _)| unit.contains(word));
            set = held.fold(set, |set, (_, candidates)| set | candidates);
        }
        CandidateSet(set)
    }

    /// Where the words are that may start with these bytes.
    fn starting_with(&self, next: u64) -> Range<usize> {
        let [first, second, third, ..] = next.to_le_bytes();
        let slot = slot([first, second, third]);
        self.cells[slot].into()..self.cells[slot + 1].into()
    }
}

/// Whether a unit may hold a word of one or two bytes, by the bytes that those start with.
fn may_hold_tiny(unit: &[u8]) -> bool {
    let starts = |byte: &u8| matches!(byte, b'$' | b'@' | b'!' | b'0' | b'7' | b'\\');
    // Looking at all of them takes less time than stopping at the first.
    unit.iter().fold(false, |found, byte| found | starts(byte))
}

impl KeywordHead {
    /// The head of a word, and the rest of it.
    fn of(word: &'static [u8]) -> (Self, &'static [u8]) {
        let (first, rest) = word.split_at(word.len().min(8));
        let bytes = next_eight(first, 0);
        let mask = next_eight(&[u8::MAX; 8][..first.len()], 0);
        (Self { bytes, mask }, rest)
    }

    /// Whether what comes next starts with it.
    fn begins(&self, next: u64) -> bool {
        next & self.mask == self.bytes
    }
}

impl KeywordTail {
    /// Whether it follows the eight bytes at `at` of a text.
    fn is_at(&self, text: &[u8], at: usize) -> bool {
        self.rest.is_empty()
            || text
                .get(at + 8..)
                .is_some_and(|text| text.starts_with(self.rest))
    }
}

/// The next eight bytes of a text, with zeros behind its end.
fn next_eight(text: &[u8], at: usize) -> u64 {
    let rest = &text[at..];
    if let Some(eight) = rest.first_chunk() {
        return u64::from_le_bytes(*eight);
    }
    let mut eight = [0; 8];
    eight[..rest.len()].copy_from_slice(rest);
    u64::from_le_bytes(eight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_has_a_bit_of_its_own() {
        assert!(SIGNALS.len() + ALL.len() <= 128);
        let set = Candidate::Signal(0).bit() | Candidate::Rule(ALL.len() - 1).bit();
        let all: Vec<Candidate> = CandidateSet(set).all().collect();
        assert_eq!(all, [Candidate::Signal(0), Candidate::Rule(ALL.len() - 1)]);
    }

    #[test]
    fn every_word_is_found_wherever_it_stands() {
        let rules = ALL.iter().enumerate().map(|(index, rule)| {
            let words = match rule.check {
                Check::Unit { keywords, .. } => keywords,
                Check::Skill(_) => &[],
            };
            (Candidate::Rule(index), words)
        });
        let signals = SIGNALS.iter().enumerate();
        let signals = signals.map(|(index, signal)| (Candidate::Signal(index), signal.words));
        for (question, words) in rules.chain(signals) {
            for word in words {
                // A unit ends at a line break, so that a word with one would never be found.
                assert!(!word.is_empty() && !word.contains('\n'), "{word:?}");
                for text in [(*word).to_owned(), format!("é{word}"), format!("x {word}y")] {
                    let mut asked = KEYWORDS.candidates(&text, &mut Trigrams::empty()).all();
                    assert!(asked.any(|each| each == question), "{text}");
                }
            }
        }
        assert!(KEYWORDS.candidates("", &mut Trigrams::empty()).is_empty());
    }
}

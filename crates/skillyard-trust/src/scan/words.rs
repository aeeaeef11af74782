//! Which rules and signals are worth asking about which unit, by the words that it holds.
//!
//! The words of all of them are looked for in one pass. At each byte the next five, and the next
//! three, are looked up in a table of bits that tells whether a word starts like this; only then
//! the words themselves are compared. Nearly all bytes start none.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use super::rules::{ALL, Check};
use super::signals::SIGNALS;

/// What a word makes worth asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    Signal(usize),
    Rule(usize),
}

/// What is worth asking about a unit, a bit for each question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Questions(u128);

/// The words of all rules and signals, by how long they are.
pub(super) struct Words {
    /// Words of five bytes or more.
    long: Starts<2_048>,
    /// Words of three or four bytes.
    short: Starts<256>,
    /// Words of one or two bytes.
    tiny: Vec<Word>,
    /// Whether a tiny word starts with a byte.
    starts_tiny: [bool; 256],
}

/// Words, found by a hash of how they start.
struct Starts<const CELLS: usize> {
    /// A bit for each hash that a word has.
    bits: Box<[u64; CELLS]>,
    /// The words of each cell of bits: where they start in `words`.
    cells: Vec<u16>,
    words: Vec<Word>,
}

/// A word and what it makes worth asking.
struct Word {
    /// Its first eight bytes, and which of the eight it has.
    head: u64,
    mask: u64,
    /// What follows them.
    rest: &'static [u8],
    questions: u128,
}

/// The words, put in order when they are first needed.
pub(super) static WORDS: LazyLock<Words> = LazyLock::new(Words::new);

impl Question {
    /// Its bit; signals come first. A test sees to it that there is room for all.
    fn bit(self) -> u128 {
        let place = match self {
            Self::Signal(index) => index,
            Self::Rule(index) => SIGNALS.len() + index,
        };
        1 << place
    }
}

impl Questions {
    /// Whether there are none.
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those that are about signals, and those that are about rules.
    pub(super) fn parted(self) -> (Self, Self) {
        let signals = (1 << SIGNALS.len()) - 1;
        (Self(self.0 & signals), Self(self.0 & !signals))
    }

    /// Each of them, in order.
    pub(super) fn all(self) -> impl Iterator<Item = Question> {
        let mut set = self.0;
        std::iter::from_fn(move || {
            let place = set.trailing_zeros() as usize;
            set &= set.checked_sub(1)?;
            Some(match place.checked_sub(SIGNALS.len()) {
                Some(index) => Question::Rule(index),
                None => Question::Signal(place),
            })
        })
    }
}

impl Words {
    fn new() -> Self {
        let mut by_word: BTreeMap<&'static str, u128> = BTreeMap::new();
        for (index, signal) in SIGNALS.iter().enumerate() {
            for word in signal.words {
                *by_word.entry(word).or_default() |= Question::Signal(index).bit();
            }
        }
        for (index, rule) in ALL.iter().enumerate() {
            if let Check::Unit { words, .. } = rule.check {
                for word in words {
                    *by_word.entry(word).or_default() |= Question::Rule(index).bit();
                }
            }
        }
        let (mut long, mut short, mut tiny) = (Vec::new(), Vec::new(), Vec::new());
        let mut starts_tiny = [false; 256];
        for (word, questions) in by_word {
            let bytes = word.as_bytes();
            let word = Word::new(bytes, questions);
            match bytes {
                [_, _, _, _, _, ..] => long.push(word),
                [_, _, _, ..] => short.push(word),
                _ => {
                    starts_tiny[usize::from(word.head.to_le_bytes()[0])] = true;
                    tiny.push(word);
                }
            }
        }
        Self {
            long: Starts::new(long, five),
            short: Starts::new(short, three),
            tiny,
            starts_tiny,
        }
    }

    /// What is worth asking about a stretch of a text.
    ///
    /// No word holds a line break, so that none reaches beyond a unit.
    pub(super) fn questions(&self, text: &str, range: Range<usize>) -> Questions {
        let text = text.as_bytes();
        let mut set = 0;
        for at in range {
            let next = next_eight(text, at);
            let (long, short) = (five(next), three(next));
            let starts_tiny = self.starts_tiny[usize::from(text[at])];
            if self.long.has(long) | self.short.has(short) | starts_tiny {
                let words = self.long.at(long).iter().chain(self.short.at(short));
                let tiny = self.tiny.iter().filter(|_| starts_tiny);
                let held = words.chain(tiny).filter(|word| word.is_at(next, text, at));
                set = held.fold(set, |set, word| set | word.questions);
            }
        }
        Questions(set)
    }
}

impl<const CELLS: usize> Starts<CELLS> {
    fn new(mut words: Vec<Word>, hash: fn(u64) -> u64) -> Self {
        words.sort_by_key(|word| Self::cell(hash(word.head)));
        let mut starts = Self {
            bits: Box::new([0; CELLS]),
            cells: vec![0; CELLS + 1],
            words,
        };
        for word in &starts.words {
            let hash = hash(word.head);
            starts.bits[Self::cell(hash)] |= Self::bit(hash);
            starts.cells[Self::cell(hash) + 1] += 1;
        }
        let mut sum = 0;
        for cell in &mut starts.cells {
            sum += *cell;
            *cell = sum;
        }
        starts
    }

    /// The cell that a hash belongs to, by its upper bits, which are mixed best.
    #[expect(clippy::cast_possible_truncation, reason = "only a few bits are left")]
    fn cell(hash: u64) -> usize {
        (hash >> (u64::BITS - CELLS.ilog2())) as usize
    }

    /// Its bit in that cell, by those below.
    fn bit(hash: u64) -> u64 {
        1 << (hash >> (u64::BITS - CELLS.ilog2() - 6) & 63)
    }

    /// Whether a word may have this hash.
    fn has(&self, hash: u64) -> bool {
        self.bits[Self::cell(hash)] & Self::bit(hash) != 0
    }

    /// The words that may have this hash.
    fn at(&self, hash: u64) -> &[Word] {
        if !self.has(hash) {
            return &[];
        }
        let cell = Self::cell(hash);
        &self.words[usize::from(self.cells[cell])..usize::from(self.cells[cell + 1])]
    }
}

impl Word {
    fn new(bytes: &'static [u8], questions: u128) -> Self {
        let length = bytes.len().min(8);
        Self {
            head: next_eight(bytes, 0),
            mask: next_eight(&[u8::MAX; 8][..length], 0),
            rest: &bytes[length..],
            questions,
        }
    }

    /// Whether it stands at `at` of a text, where `next` is what comes next.
    fn is_at(&self, next: u64, text: &[u8], at: usize) -> bool {
        next & self.mask == self.head
            && (self.rest.is_empty()
                || text
                    .get(at + 8..)
                    .is_some_and(|text| text.starts_with(self.rest)))
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

/// A hash of the first five of eight bytes.
fn five(next: u64) -> u64 {
    (next & 0xff_ffff_ffff).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A hash of the first three of eight bytes.
fn three(next: u64) -> u64 {
    (next & 0xff_ffff).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_has_a_bit_of_its_own() {
        assert!(SIGNALS.len() + ALL.len() <= 128);
        let set = Question::Signal(0).bit() | Question::Rule(ALL.len() - 1).bit();
        let all: Vec<Question> = Questions(set).all().collect();
        assert_eq!(all, [Question::Signal(0), Question::Rule(ALL.len() - 1)]);
    }

    #[test]
    fn every_word_is_found_wherever_it_stands() {
        for (index, rule) in ALL.iter().enumerate() {
            let Check::Unit { words, .. } = rule.check else {
                continue;
            };
            for word in words {
                // A unit ends at a line break, so that a word with one would never be found.
                assert!(!word.is_empty() && !word.contains('\n'), "{word:?}");
                for text in [(*word).to_owned(), format!("é{word}"), format!("x {word}y")] {
                    let mut asked = WORDS.questions(&text, 0..text.len()).all();
                    assert!(asked.any(|each| each == Question::Rule(index)), "{text}");
                }
            }
        }
        assert!(WORDS.questions("", 0..0).is_empty());
    }
}

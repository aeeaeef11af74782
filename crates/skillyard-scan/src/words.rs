//! Which rules and signals are worth asking about which unit, by the words that it holds.
//!
//! The words of all of them are looked for in one pass, the one that makes the sketch of the unit:
//! tables of bits tell whether a word starts with four bytes, and only then the words themselves
//! are compared. Nearly all bytes start none.

use std::ops::Range;
use std::sync::LazyLock;

use super::grams::{Grams, PLACES, Starts, place, places};
use super::rules::{ALL, Check};
use super::signals::SIGNALS;

/// About as many words as there are, each as often as somebody names it.
const MANY: usize = 2048;

/// What a word makes worth asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    Signal(usize),
    Rule(usize),
}

/// What is worth asking about a unit, a bit for each question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Questions(u128);

/// The words of all rules and signals.
pub(super) struct Words {
    /// What words start with.
    starts: Starts,
    /// The words of each place: where they start in `heads` and in `tails`.
    cells: Vec<u16>,
    /// What nearly all words are ruled out by, close together.
    heads: Vec<Head>,
    tails: Vec<Tail>,
    /// Words of one or two bytes.
    tiny: Vec<(&'static str, u128)>,
}

/// The first eight bytes of a word, and which of the eight it has.
struct Head {
    bytes: u64,
    mask: u64,
}

/// What follows them, and what the word makes worth asking.
struct Tail {
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
        let signals = SIGNALS.iter().enumerate().flat_map(|(index, signal)| {
            let bit = Question::Signal(index).bit();
            signal.words.iter().map(move |word| (*word, bit))
        });
        let rules = ALL.iter().enumerate().flat_map(|(index, rule)| {
            let words = match rule.check {
                Check::Unit { words, .. } => words,
                Check::Skill(_) => &[],
            };
            let bit = Question::Rule(index).bit();
            words.iter().map(move |word| (*word, bit))
        });
        let (mut words, mut tiny) = (Vec::with_capacity(MANY), Vec::new());
        let mut starts = Starts::empty();
        for (word, question) in signals.chain(rules) {
            starts.add(word.as_bytes());
            match places(word.as_bytes()).next() {
                Some(place) => words.push((place, word, question)),
                None => tiny.push((word, question)),
            }
        }
        words.sort_unstable_by_key(|(place, word, _)| (*place, *word));
        words.dedup_by(|(_, word, question), (_, kept, questions)| {
            let is_same = word == kept;
            if is_same {
                *questions |= *question;
            }
            is_same
        });
        let mut cells = vec![0; PLACES + 1];
        for (place, ..) in &words {
            cells[place + 1] += 1;
        }
        let mut sum = 0;
        for cell in &mut cells {
            sum += *cell;
            *cell = sum;
        }
        let parts = words.iter().map(|(_, word, questions)| {
            let (head, rest) = Head::of(word.as_bytes());
            let questions = *questions;
            (head, Tail { rest, questions })
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
    pub(super) fn questions(&self, unit: &str, sketch: &mut Grams) -> Questions {
        let bytes = unit.as_bytes();
        let mut set = 0;
        sketch.read_along(unit, &self.starts, |start, found| {
            for far in found {
                let at = start + usize::from(*far);
                let next = next_eight(bytes, at);
                let cell = self.starting_with(next);
                let heads = self.heads[cell.clone()].iter();
                for (head, tail) in heads.zip(&self.tails[cell]) {
                    if head.begins(next) && tail.is_at(bytes, at) {
                        set |= tail.questions;
                    }
                }
            }
        });
        if may_hold_tiny(bytes) {
            let held = self.tiny.iter().filter(|(word, _)| unit.contains(word));
            set = held.fold(set, |set, (_, questions)| set | questions);
        }
        Questions(set)
    }

    /// Where the words are that may start with these bytes.
    fn starting_with(&self, next: u64) -> Range<usize> {
        let [first, second, third, ..] = next.to_le_bytes();
        let place = place([first, second, third]);
        self.cells[place].into()..self.cells[place + 1].into()
    }
}

/// Whether a unit may hold a word of one or two bytes, by the bytes that those start with.
fn may_hold_tiny(unit: &[u8]) -> bool {
    let starts = |byte: &u8| matches!(byte, b'$' | b'@' | b'!' | b'0' | b'7' | b'\\');
    // Looking at all of them takes less time than stopping at the first.
    unit.iter().fold(false, |found, byte| found | starts(byte))
}

impl Head {
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

impl Tail {
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
        let set = Question::Signal(0).bit() | Question::Rule(ALL.len() - 1).bit();
        let all: Vec<Question> = Questions(set).all().collect();
        assert_eq!(all, [Question::Signal(0), Question::Rule(ALL.len() - 1)]);
    }

    #[test]
    fn every_word_is_found_wherever_it_stands() {
        let rules = ALL.iter().enumerate().map(|(index, rule)| {
            let words = match rule.check {
                Check::Unit { words, .. } => words,
                Check::Skill(_) => &[],
            };
            (Question::Rule(index), words)
        });
        let signals = SIGNALS.iter().enumerate();
        let signals = signals.map(|(index, signal)| (Question::Signal(index), signal.words));
        for (question, words) in rules.chain(signals) {
            for word in words {
                // A unit ends at a line break, so that a word with one would never be found.
                assert!(!word.is_empty() && !word.contains('\n'), "{word:?}");
                for text in [(*word).to_owned(), format!("é{word}"), format!("x {word}y")] {
                    let mut asked = WORDS.questions(&text, &mut Grams::empty()).all();
                    assert!(asked.any(|each| each == question), "{text}");
                }
            }
        }
        assert!(WORDS.questions("", &mut Grams::empty()).is_empty());
    }
}

//! Texts that a pattern matches and that hold none of some words, made from the pattern itself.
//!
//! A text that holds a word holds it whatever stands around it, so that what is made of the parts
//! of a pattern is dropped as soon as it does. Of a pattern that has a word in every part of a
//! choice nothing is left.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Most texts of a part that others follow.
const MAX_OF_PART: usize = 32;
/// Most texts of a choice.
const MOST: usize = 300;
/// Sets of so few bytes are choices.
const FEW: usize = 6;
/// What stands for a larger set, as far as it is in it.
const USUAL: &[u8] = b" x1/-.'=:(";

/// Texts that `meaning` matches without any of `words`.
pub(super) fn without(words: &[&str], meaning: &Hir) -> Vec<String> {
    let made = Samples { words }.of(meaning);
    let texts = made.into_iter().map(String::from_utf8);
    texts.filter_map(Result::ok).collect()
}

struct Samples<'w> {
    words: &'w [&'w str],
}

impl Samples<'_> {
    fn of(&self, part: &Hir) -> Vec<Vec<u8>> {
        match part.kind() {
            HirKind::Empty | HirKind::Look(_) => vec![Vec::new()],
            HirKind::Literal(literal) => self.kept(vec![literal.0.to_vec()], MOST),
            HirKind::Class(class) => self.kept(some(class), MOST),
            HirKind::Capture(capture) => self.of(&capture.sub),
            HirKind::Alternation(ways) => {
                let each = ways.iter().flat_map(|way| self.of(way));
                self.kept(each.collect(), MOST)
            }
            HirKind::Concat(parts) => self.sequence(parts.iter().map(|part| self.of(part))),
            HirKind::Repetition(repetition) => {
                let times = |count: u32| {
                    let each = (0..count).map(|_| self.of(&repetition.sub));
                    self.sequence(each)
                };
                let mut made = times(repetition.min);
                if repetition.max != Some(repetition.min) && repetition.min < 2 {
                    made.extend(times(repetition.min + 1));
                }
                made
            }
        }
    }

    /// What follows one another, each with each as long as they are few.
    fn sequence(&self, parts: impl Iterator<Item = Vec<Vec<u8>>>) -> Vec<Vec<u8>> {
        parts.fold(vec![Vec::new()], |before, after| {
            let before = thinned(before, MAX_OF_PART);
            let joined = before.iter().flat_map(|start| {
                let join = |end: &Vec<u8>| [start.as_slice(), end].concat();
                after.iter().map(join)
            });
            self.kept(joined.collect(), MOST)
        })
    }

    fn kept(&self, mut texts: Vec<Vec<u8>>, most: usize) -> Vec<Vec<u8>> {
        let holds =
            |text: &[u8], word: &&str| memchr::memmem::find(text, word.as_bytes()).is_some();
        texts.retain(|text| !self.words.iter().any(|word| holds(text, word)));
        texts.sort_unstable();
        texts.dedup();
        thinned(texts, most)
    }
}

/// So many of them at most, from everywhere among them.
pub(super) fn thinned<T>(texts: Vec<T>, most: usize) -> Vec<T> {
    let step = texts.len().div_ceil(most).max(1);
    texts.into_iter().step_by(step).collect()
}

/// Bytes of a set: all of a few, and some of many.
fn some(class: &Class) -> Vec<Vec<u8>> {
    let Class::Bytes(bytes) = class else {
        return Vec::new();
    };
    let ranges = || bytes.ranges().iter();
    let has = |byte: u8| ranges().any(|range| (range.start()..=range.end()).contains(&byte));
    // In plain text the only white space is a blank.
    let mut all: Vec<u8> = (b' '..=b'~').filter(|byte| has(*byte)).collect();
    if all.len() > FEW {
        all = USUAL
            .iter()
            .copied()
            .filter(|byte| has(*byte))
            .take(1)
            .collect();
    }
    all.into_iter().map(|byte| vec![byte]).collect()
}

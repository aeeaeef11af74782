//! The words without which a pattern cannot match, read from the pattern itself.
//!
//! A pattern is a sequence of parts, and each part must be there. The part with the rarest words is
//! looked for first, by an automaton that is many times faster than the pattern; most texts lack
//! it, so that most patterns are neither asked nor even compiled.

use aho_corasick::AhoCorasick;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};

/// Shorter words are everywhere.
const SHORTEST: usize = 3;
/// More words than these are no faster than the pattern.
const MOST_WORDS: usize = 120;
/// Beyond this length a word is as rare as it needs to be.
const LONG_ENOUGH: usize = 6;

/// Words of which one must be in a text that a pattern matches.
#[derive(Debug)]
pub(crate) struct Required(AhoCorasick);

impl Required {
    /// The words of a pattern, if it has such words and is not as quick as they are.
    pub(crate) fn of(source: &str) -> Option<Self> {
        // What counts what lies between its parts is slow; all else finds its first words itself.
        if !source.contains("{0,") {
            return None;
        }
        let parsed = ParserBuilder::new()
            .unicode(false)
            .utf8(false)
            .ignore_whitespace(true)
            .dot_matches_new_line(true)
            .build()
            .parse(source);
        let words = words(&parsed.ok()?)?;
        let is_rare = words.len() <= MOST_WORDS && words.iter().all(|word| word.len() >= SHORTEST);
        let automaton = is_rare.then(|| AhoCorasick::new(&words));
        automaton?.ok().map(Self)
    }

    /// Whether one of them is in `text`.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

/// Words of which each match of `hir` holds one.
fn words(hir: &Hir) -> Option<Vec<Vec<u8>>> {
    match hir.kind() {
        HirKind::Literal(literal) => Some(vec![literal.0.to_vec()]),
        HirKind::Capture(capture) => words(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => words(&repetition.sub),
        HirKind::Concat(parts) => parts.iter().filter_map(words).max_by_key(|words| {
            let shortest = words.iter().map(Vec::len).min().unwrap_or_default();
            (shortest.min(LONG_ENOUGH), std::cmp::Reverse(words.len()))
        }),
        HirKind::Alternation(ways) => {
            let ways: Option<Vec<Vec<Vec<u8>>>> = ways.iter().map(words).collect();
            Some(ways?.into_iter().flatten().collect())
        }
        HirKind::Repetition(_) | HirKind::Class(_) | HirKind::Look(_) | HirKind::Empty => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, has: &[&str], lacks: &[&str]) {
        let required = Required::of(source).unwrap();
        for text in has {
            assert!(required.is_in(text), "{source}: {text}");
        }
        for text in lacks {
            assert!(!required.is_in(text), "{source}: {text}");
        }
    }

    #[test]
    fn the_rarest_part_is_looked_for() {
        check(
            r"\b(?:use|add)\b[^.]{0,60}\b(?:concatenation|f-strings)\b",
            &["f-strings", "concatenation"],
            &["use it", "add"],
        );
        check(
            r"instructions?\s{0,3}(?:to|of)",
            &["instruction"],
            &["to of"],
        );
        check(
            r"(?:abc|(?:defg|hij)+)x{0,2}",
            &["abc", "defg", "hij"],
            &["x"],
        );
    }

    #[test]
    fn a_pattern_without_such_words_is_always_asked() {
        for source in [
            r"\d{0,3}",
            r"[ab]c?x{0,2}",
            r"(?:abc)?x{0,2}",
            r"abc|\w{0,2}",
            r"\bdo\b.{0,9}",
            r"\bplain\b",
        ] {
            assert!(Required::of(source).is_none(), "{source}");
        }
    }
}

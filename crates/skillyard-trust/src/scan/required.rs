//! The words without which a pattern cannot match, read from the pattern itself.
//!
//! A pattern is a sequence of parts, each of which must be there, and a part is a choice of words.
//! Whether the words are there is asked of the sketch of a text, which is many times faster than
//! the pattern; most texts lack some, so that most patterns are neither asked nor even compiled.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};

use super::grams::{Grams, places};

/// Most trigrams of a word that are looked for; the rest would hardly rule out more.
const MOST_PLACES: usize = 6;

/// What a text must hold so that a pattern can match in it.
#[derive(Debug)]
pub(crate) enum Required {
    /// A word, as the places of its first trigrams, repeated until there are enough.
    Word([u16; MOST_PLACES]),
    /// All of these.
    All(Box<[Required]>),
    /// One of these.
    Any(Box<[Required]>),
}

impl Required {
    /// What a pattern requires, if it has words long enough to be looked for.
    pub(crate) fn of(pattern: &Hir) -> Option<Self> {
        required(pattern)
    }

    /// Whether a text with this sketch may hold it.
    pub(crate) fn may_be_in(&self, grams: &Grams) -> bool {
        match self {
            Self::Word(places) => places.iter().all(|place| grams.has(*place)),
            Self::All(parts) => parts.iter().all(|part| part.may_be_in(grams)),
            Self::Any(ways) => ways.iter().any(|way| way.may_be_in(grams)),
        }
    }

    /// How many words there are to look for.
    fn size(&self) -> usize {
        match self {
            Self::Word(_) => 1,
            Self::All(each) | Self::Any(each) => each.iter().map(Self::size).sum(),
        }
    }
}

/// A pattern taken apart, by the rules that patterns are compiled by.
pub(crate) fn parsed(source: &str) -> Option<Hir> {
    ParserBuilder::new()
        .unicode(false)
        .utf8(false)
        .ignore_whitespace(true)
        .dot_matches_new_line(true)
        .build()
        .parse(source)
        .ok()
}

/// What each match of `hir` holds.
fn required(hir: &Hir) -> Option<Required> {
    match hir.kind() {
        HirKind::Literal(literal) => {
            let places = places(&literal.0).filter_map(|place| u16::try_from(place).ok());
            let places: Vec<u16> = places.take(MOST_PLACES).collect();
            let mut repeated = places.iter().copied().cycle();
            let word = std::array::from_fn(|_| repeated.next().unwrap_or_default());
            (!places.is_empty()).then_some(Required::Word(word))
        }
        HirKind::Capture(capture) => required(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => required(&repetition.sub),
        HirKind::Concat(parts) => {
            let mut parts: Vec<Required> = parts.iter().filter_map(required).collect();
            // What is asked quickest is asked first.
            parts.sort_by_key(Required::size);
            if parts.len() > 1 {
                Some(Required::All(parts.into()))
            } else {
                parts.pop()
            }
        }
        HirKind::Alternation(ways) => {
            let ways: Option<Box<[Required]>> = ways.iter().map(required).collect();
            ways.map(Required::Any)
        }
        HirKind::Repetition(_) | HirKind::Class(_) | HirKind::Look(_) | HirKind::Empty => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, has: &[&str], lacks: &[&str]) {
        let required = Required::of(&parsed(source).unwrap()).unwrap();
        for text in has {
            assert!(required.may_be_in(&Grams::of(text)), "{source}: {text}");
        }
        for text in lacks {
            assert!(!required.may_be_in(&Grams::of(text)), "{source}: {text}");
        }
    }

    #[test]
    fn every_part_is_looked_for() {
        check(
            r"\b(?:use|add)\b[^.]{0,60}\b(?:concatenation|f-strings)\b",
            &["add f-strings", "use concatenation", "concatenation to use"],
            &["use it", "f-strings", "concatenation"],
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
        ] {
            assert!(Required::of(&parsed(source).unwrap()).is_none(), "{source}");
        }
    }
}

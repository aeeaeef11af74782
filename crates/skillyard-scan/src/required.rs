//! The words without which a pattern cannot match, read from the pattern itself.
//!
//! A pattern is a sequence of parts, each of which must be there, and a part is a choice of words.
//! Whether the words are there is asked of the sketch of a text, which is many times faster than
//! the pattern; most texts lack some, so that most patterns are neither asked nor even compiled.

use super::grams::{Grams, places};

mod reader;

/// Most trigrams of a word that are looked for; the rest would hardly rule out more.
const MAX_PLACES: usize = 6;

/// A word, as the places of its first trigrams, repeated until there are enough.
type Places = [u16; MAX_PLACES];

/// What a text must hold so that a pattern can match in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Required {
    /// One of these words, mostly the only one.
    Words(Box<[Places]>),
    /// All of these.
    All(Box<[Required]>),
    /// One of these.
    Any(Box<[Required]>),
}

impl Required {
    /// What a pattern requires, if it has words long enough to be looked for.
    pub(crate) fn of(source: &str) -> Option<Self> {
        reader::read(source)
    }

    /// A word that is long enough to be looked for.
    fn word(letters: &[u8]) -> Option<Self> {
        let places = places(letters).filter_map(|place| u16::try_from(place).ok());
        let places: Vec<u16> = places.take(MAX_PLACES).collect();
        let mut repeated = places.iter().copied().cycle();
        let word = std::array::from_fn(|_| repeated.next().unwrap_or_default());
        (!places.is_empty()).then(|| Self::Words(Box::new([word])))
    }

    /// One of these. Words that lie side by side are looked through several times as fast as words
    /// that have to be found one by one.
    fn any(ways: Vec<Self>) -> Self {
        let (mut words, mut others) = (Vec::new(), Vec::new());
        for way in ways {
            match way {
                Self::Words(each) => words.extend(each),
                other => others.push(other),
            }
        }
        let words = Self::Words(words.into());
        if others.is_empty() {
            return words;
        }
        others.insert(0, words);
        Self::Any(others.into())
    }

    /// All of these, what is asked quickest first.
    fn all(mut parts: Vec<Self>) -> Option<Self> {
        parts.sort_by_key(Self::size);
        if parts.len() > 1 {
            Some(Self::All(parts.into()))
        } else {
            parts.pop()
        }
    }

    /// Whether a text with this sketch may hold it.
    pub(crate) fn may_be_in(&self, grams: &Grams) -> bool {
        match self {
            Self::Words(words) => words
                .iter()
                .any(|places| places.iter().all(|place| grams.has((*place).into()))),
            Self::All(parts) => parts.iter().all(|part| part.may_be_in(grams)),
            Self::Any(ways) => ways.iter().any(|way| way.may_be_in(grams)),
        }
    }

    /// How many words there are to look for.
    fn size(&self) -> usize {
        match self {
            Self::Words(words) => words.len(),
            Self::All(each) | Self::Any(each) => each.iter().map(Self::size).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, has: &[&str], lacks: &[&str]) {
        let required = Required::of(source).unwrap();
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
    fn letters_are_the_bytes_they_stand_for() {
        check(
            r"a\.b \[ \x63 \xc3\xa9 x{2}",
            &["a.b[cé", "_a.b[céxx_"],
            &["a.b", "axb[cé", "a.b [cé"],
        );
        check(r"(?:abc|def)+g (hij)", &["abcghij"], &["abcg", "ghij"]);
    }

    #[test]
    fn a_pattern_without_such_words_is_always_asked() {
        for source in [
            r"\d{0,3}",
            r"[ab]c?x{0,2}",
            r"(?:abc)?x{0,2}",
            r"abc|\w{0,2}",
            r"\bdo\b.{0,9}",
            r"(?i:abc)",
            r"abc(?i)def",
        ] {
            assert!(Required::of(source).is_none(), "{source}");
        }
    }
}

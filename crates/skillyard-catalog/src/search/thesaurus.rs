//! General English: which words are about the same thing.
//!
//! A task says `flight` where a description says `travel`. With a handful of short descriptions nothing in the collection itself
//! tells that the two belong together, so a hand-written table of everyday subjects does.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::stem;

/// Strength between a word of the left side and one of the right.
const LOOSE: f32 = 0.5;

/// Which stems are related, and how strongly.
#[derive(Debug, Default)]
pub struct Thesaurus {
    related: HashMap<String, Vec<(String, f32)>>,
}

static ENGLISH: LazyLock<Thesaurus> =
    LazyLock::new(|| Thesaurus::parse(include_str!("thesaurus.txt")));

impl Thesaurus {
    /// The built-in table.
    pub fn english() -> &'static Self {
        &ENGLISH
    }

    /// Reads a table: one subject a line, words that mean nearly the same, then `|` and words that go with them.
    pub fn parse(table: &str) -> Self {
        let mut related: HashMap<String, HashMap<String, f32>> = HashMap::new();
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let (same, along) = line.split_once('|').unwrap_or((line, ""));
            let same: Vec<String> = same
                .split_whitespace()
                .map(|word| stem::stem(word).into_owned())
                .collect();
            let along: Vec<String> = along
                .split_whitespace()
                .map(|word| stem::stem(word).into_owned())
                .collect();
            let mut relate = |left: &String, right: &String, strength: f32| {
                if left != right {
                    let known = related
                        .entry(left.clone())
                        .or_default()
                        .entry(right.clone())
                        .or_default();
                    *known = known.max(strength);
                }
            };
            for left in &same {
                for right in &same {
                    relate(left, right, 1.0);
                }
                for right in &along {
                    relate(left, right, LOOSE);
                    relate(right, left, LOOSE);
                }
            }
        }
        let sorted = |words: HashMap<String, f32>| {
            let mut words: Vec<(String, f32)> = words.into_iter().collect();
            words.sort_by(|left, right| left.0.cmp(&right.0));
            words
        };
        Self {
            related: related
                .into_iter()
                .map(|(word, others)| (word, sorted(others)))
                .collect(),
        }
    }

    /// Whether a stem is a word of the table.
    pub fn knows(&self, stem: &str) -> bool {
        self.related.contains_key(stem)
    }

    /// The stems related to a stem, with strengths up to 1.
    pub fn related(&self, stem: &str) -> impl Iterator<Item = (&str, f32)> {
        self.related
            .get(stem)
            .into_iter()
            .flatten()
            .map(|(word, strength)| (word.as_str(), *strength))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::tokenize::is_stop_word;

    #[test]
    fn relates_both_ways_and_never_to_itself() {
        let table = Thesaurus::parse("# travel\nbook reserve | seat\nbook novel");
        let related = |word: &str| table.related(word).collect::<Vec<_>>();
        assert_eq!(
            related("book"),
            [("novel", 1.0), ("reserv", 1.0), ("seat", LOOSE)]
        );
        assert_eq!(related("seat"), [("book", LOOSE), ("reserv", LOOSE)]);
        assert!(related("travel").is_empty() && !table.knows("travel"));
    }

    #[test]
    fn the_english_table_is_clean() {
        let table = include_str!("thesaurus.txt");
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            assert!(line.matches('|').count() <= 1, "{line}");
            for word in line.split_whitespace().filter(|word| *word != "|") {
                assert!(
                    word.bytes()
                        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()),
                    "{word}"
                );
                assert!(!is_stop_word(word), "{word} is a stop word");
            }
        }
        assert!(Thesaurus::english().knows("flight"));
    }
}

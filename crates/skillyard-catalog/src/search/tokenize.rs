//! Text to words: what counts as one word in a query, a description or a body.
//!
//! Text is brought to NFKC and lower case. Words are cut at everything that is neither letter nor digit and at `camelCase` humps; a
//! word with humps is given whole as well, because people write both `GitHub` and `github`. Scripts written without spaces
//! are cut into overlapping pairs of characters, which needs no dictionary and finds every two-character word.

use std::collections::HashSet;
use std::sync::LazyLock;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// The longest word kept, in bytes; longer runs are hashes and encoded data, which users do not search for.
pub const MAX_WORD_LENGTH: usize = 40;

/// Calls `visit` with each lower-case word of `text`, in order.
pub fn each_word(text: &str, mut visit: impl FnMut(&str)) {
    let mut scan = Scan::default();
    if text.is_ascii() || is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        scan.run(text.chars(), &mut visit);
    } else {
        scan.run(text.chars().nfkc(), &mut visit);
    }
}

/// The lower-case words of `text`, in order.
pub fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_word(text, |word| found.push(word.to_owned()));
    found
}

/// One run of letters and digits, with the places where a hump begins.
#[derive(Default)]
struct Scan {
    lower: String,
    humps: Vec<usize>,
    overlong: bool,
}

/// What a character does to the word being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CharClass {
    Lower,
    Upper,
    Digit,
    Unspaced,
    Apostrophe,
    Break,
}

impl Scan {
    fn run(&mut self, characters: impl Iterator<Item = char>, visit: &mut impl FnMut(&str)) {
        let mut characters = characters.peekable();
        let mut before = CharClass::Break;
        let mut unspaced: Option<char> = None;
        let mut unspaced_run = 0_usize;
        while let Some(character) = characters.next() {
            let kind = class_of(character);
            if kind != CharClass::Unspaced {
                if let (Some(last), 1) = (unspaced, unspaced_run) {
                    visit(last.encode_utf8(&mut [0; 4]));
                }
                unspaced = None;
                unspaced_run = 0;
            }
            match kind {
                CharClass::Unspaced => {
                    self.finish(visit);
                    if let Some(last) = unspaced {
                        let mut pair = String::with_capacity(8);
                        pair.push(last);
                        pair.push(character);
                        visit(&pair);
                    }
                    unspaced = Some(character);
                    unspaced_run += 1;
                }
                CharClass::Apostrophe
                    if before == CharClass::Lower || before == CharClass::Upper =>
                {
                    // `it's` is `it`, `don't` is `dont`: a possessive says nothing, a contraction is one word.
                    let possessive = matches!(characters.peek(), Some('s' | 'S'));
                    if possessive {
                        characters.next();
                        self.finish(visit);
                    }
                    continue;
                }
                CharClass::Apostrophe | CharClass::Break => {
                    if self.lower == "c" && character == '#' {
                        self.lower.push_str("sharp");
                    } else if self.lower == "c"
                        && character == '+'
                        && characters.peek() == Some(&'+')
                    {
                        self.lower.push_str("pp");
                    }
                    self.finish(visit);
                }
                CharClass::Lower | CharClass::Upper | CharClass::Digit => {
                    let mut next_is_lower = || {
                        characters
                            .peek()
                            .is_some_and(|next| class_of(*next) == CharClass::Lower)
                    };
                    let hump = kind == CharClass::Upper
                        && (before == CharClass::Lower
                            || (before == CharClass::Upper && next_is_lower()));
                    self.push(character, hump);
                }
            }
            before = kind;
        }
        if let (Some(last), 1) = (unspaced, unspaced_run) {
            visit(last.encode_utf8(&mut [0; 4]));
        }
        self.finish(visit);
    }

    fn push(&mut self, character: char, hump: bool) {
        if self.lower.len() >= MAX_WORD_LENGTH * 2 {
            self.overlong = true;
            return;
        }
        if hump && !self.lower.is_empty() {
            self.humps.push(self.lower.len());
        }
        if character.is_ascii() {
            self.lower.push(character.to_ascii_lowercase());
        } else {
            self.lower.extend(character.to_lowercase());
        }
    }

    fn finish(&mut self, visit: &mut impl FnMut(&str)) {
        if self.lower.is_empty() {
            return;
        }
        if !self.overlong && self.lower.len() <= MAX_WORD_LENGTH {
            visit(&self.lower);
            if self.humps.is_empty() {
                // `python3` is also `python`; `s3` and `mp3` are only themselves.
                let stem = self.lower.trim_end_matches(|c: char| c.is_ascii_digit());
                if stem.len() > 3 && stem.len() < self.lower.len() {
                    visit(stem);
                }
            }
        }
        if !self.humps.is_empty() {
            let mut start = 0;
            for end in self.humps.iter().copied().chain([self.lower.len()]) {
                let part = &self.lower[start..end];
                if part.len() > 1 && part.len() <= MAX_WORD_LENGTH {
                    visit(part);
                }
                start = end;
            }
        }
        self.lower.clear();
        self.humps.clear();
        self.overlong = false;
    }
}

fn class_of(character: char) -> CharClass {
    match character {
        'a'..='z' => CharClass::Lower,
        'A'..='Z' => CharClass::Upper,
        '0'..='9' => CharClass::Digit,
        '\'' | '\u{2019}' => CharClass::Apostrophe,
        _ if character.is_ascii() => CharClass::Break,
        _ if is_unspaced(character) => CharClass::Unspaced,
        _ if character.is_uppercase() => CharClass::Upper,
        _ if character.is_alphabetic() || is_mark(character) => CharClass::Lower,
        _ if character.is_numeric() => CharClass::Digit,
        _ => CharClass::Break,
    }
}

/// Scripts that do not put spaces between words: Thai to Khmer, kana, Han and Hangul.
fn is_unspaced(character: char) -> bool {
    matches!(u32::from(character),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF
        | 0x3005..=0x3007 | 0x3040..=0x30FF | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF
        | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x323AF)
}

/// Combining marks that belong to the letter before them (Devanagari vowel signs, accents without a composed form).
fn is_mark(character: char) -> bool {
    unicode_normalization::char::is_combining_mark(character)
}

static STOP: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("stop.txt").split_whitespace().collect());
static FAINT: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("faint.txt").split_whitespace().collect());

/// Whether a lower-case word is a function word, which is neither indexed nor searched.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP.contains(word)
}

/// Whether a lower-case word is about asking and not about the subject, so that it counts at a fraction.
///
/// Inverse document frequency finds common words only in a large collection. With twenty skills installed, `latest` and `recommend`
/// look as rare as `invoice`; the list of faint words carries that general knowledge of English into small collections.
pub(super) fn is_faint_word(word: &str) -> bool {
    FAINT.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(words(text), expected, "{text}");
    }

    #[test]
    fn cuts_at_humps_and_keeps_the_whole() {
        check(
            "GitHub HTTPServer parseJSON",
            &[
                "github",
                "git",
                "hub",
                "httpserver",
                "http",
                "server",
                "parsejson",
                "parse",
                "json",
            ],
        );
    }

    #[test]
    fn cuts_kebab_and_snake() {
        check(
            "pdf-tools web_scraper a/b.c",
            &["pdf", "tools", "web", "scraper", "a", "b", "c"],
        );
    }

    #[test]
    fn keeps_digits_in_short_words() {
        check(
            "S3 mp3 python3 3d 2024",
            &["s3", "mp3", "python3", "python", "3d", "2024"],
        );
    }

    #[test]
    fn reads_contractions_and_possessives() {
        check(
            "don't the user's l'eau O’Neil’s",
            &["dont", "the", "user", "leau", "oneil", "neil"],
        );
    }

    #[test]
    fn names_languages_with_symbols() {
        check("C++, C#; c", &["cpp", "csharp", "c"]);
    }

    #[test]
    fn pairs_unspaced_scripts() {
        check("天気予報 API", &["天気", "気予", "予報", "api"]);
        check("猫", &["猫"]);
        check("pdf文書", &["pdf", "文書"]);
        check("날씨 예보", &["날씨", "예보"]);
    }

    #[test]
    fn normalises_compatibility_forms_and_case() {
        check("ＰＤＦ ﬁle ÜBER Straße", &["pdf", "file", "über", "straße"]);
        check("cafe\u{301}", &["café"]);
    }

    #[test]
    fn drops_overlong_runs() {
        check(&format!("{} ok", "x".repeat(1_000_000)), &["ok"]);
    }

    #[test]
    fn tells_stop_faint_and_plain_words_apart() {
        assert!(is_stop_word("the") && !is_faint_word("the"));
        assert!(is_faint_word("recommend") && !is_stop_word("recommend"));
        assert!(!is_stop_word("invoice") && !is_faint_word("invoice"));
        assert!(STOP.is_disjoint(&FAINT));
    }

    proptest! {
        #[test]
        fn never_panics_and_words_are_short(text in "\\PC{0,200}") {
            each_word(&text, |word| {
                assert!(!word.is_empty());
                assert!(word.len() <= MAX_WORD_LENGTH);
            });
        }

        #[test]
        fn ascii_case_of_plain_words_does_not_matter(text in "[a-z ]{0,60}") {
            prop_assert_eq!(words(&text), words(&text.to_uppercase()));
        }
    }
}

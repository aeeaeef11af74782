//! Skill names: 1 to 64 lowercase letters, digits and single hyphens.
//!
//! The specification says "unicode lowercase alphanumeric (`a-z`, `0-9`)", which
//! contradicts itself; the reference validator and its tests accept letters of
//! every script, so names are read that way, after NFKC.

use std::borrow::Cow;
use std::fmt;

use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark, is_nfkc_quick};
use unicode_security::MixedScript as _;
use unicode_security::confusable_detection::skeleton;

use crate::text::is_invisible;

/// Most characters a name may have.
pub const MAX_LENGTH: usize = 64;

/// A name that follows every rule of the specification.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SkillName(String);

impl SkillName {
    /// Checks `name` after trimming and NFKC.
    pub fn new(name: &str) -> Result<Self, NameProblem> {
        let name = normalise(name);
        match problems(&name).next() {
            None => Ok(Self(name.into_owned())),
            Some(problem) => Err(problem),
        }
    }

    /// The nearest valid name to `text`, such as a directory's, if there is one.
    pub fn from_text(text: &str) -> Option<Self> {
        let mut name = String::new();
        for c in known_as(text).to_lowercase().chars() {
            if is_letter_or_digit(c) {
                name.push(c);
            } else if !name.ends_with('-') && !name.is_empty() {
                name.push('-');
            }
        }
        let name: String = name.chars().take(MAX_LENGTH).collect();
        Self::new(name.trim_matches('-')).ok()
    }

    /// Whether its letters pass for others: they are of several scripts, or all look like plain ones.
    pub fn is_disguised(&self) -> bool {
        let is_plain = || skeleton(&self.0).all(|c| c.is_ascii());
        !self.0.is_ascii() && (!self.0.is_single_script() || is_plain())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SkillName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A rule that a name breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameProblem {
    /// There is no character at all.
    #[error("it is empty")]
    Empty,
    /// It has more than [`MAX_LENGTH`] characters.
    #[error("it has {0} characters, and at most {MAX_LENGTH} are allowed")]
    TooLong(usize),
    /// It has a capital letter.
    #[error("it has capital letters")]
    Uppercase,
    /// It starts or ends with a hyphen.
    #[error("it starts or ends with a hyphen")]
    OuterHyphen,
    /// It has two hyphens in a row.
    #[error("it has two hyphens in a row")]
    DoubleHyphen,
    /// It has a character that is no letter, digit or hyphen.
    #[error("it has the character {0:?}, and only letters, digits and hyphens are allowed")]
    Character(char),
}

/// What a skill that calls itself `name` is known by: the name trimmed, in NFKC and without characters
/// that nobody sees. Else two skills could have what people read as one name, and who denies or
/// pins a name would mean only one of them.
pub fn known_as(name: &str) -> Cow<'_, str> {
    let name = normalise(name);
    if name.contains(is_unseen) {
        let seen: String = name.chars().filter(|c| !is_unseen(*c)).collect();
        // What was taken away may have stood behind a space.
        return Cow::Owned(seen.trim().to_owned());
    }
    name
}

/// Whether nobody sees `c` in a name: it has neither a shape nor, as a space does, a width.
fn is_unseen(c: char) -> bool {
    match c {
        // The last is the one space that NFKC leaves as it is.
        '\t' | '\n' | '\r' | '\u{1680}' => false,
        c => c.is_control() || is_invisible(c),
    }
}

/// `name` trimmed and in NFKC, which is how its rules see it.
pub fn normalise(name: &str) -> Cow<'_, str> {
    let name = name.trim();
    if name.is_ascii() || is_nfkc_quick(name.chars()) == unicode_normalization::IsNormalized::Yes {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(name.nfkc().collect())
    }
}

/// Every rule that a normalised name breaks, in the order of the reference validator.
pub fn problems(name: &str) -> impl Iterator<Item = NameProblem> + use<> {
    let length = name.chars().count();
    let bad = name.chars().find(|c| !is_letter_or_digit(*c) && *c != '-');
    let found = [
        name.is_empty().then_some(NameProblem::Empty),
        (length > MAX_LENGTH).then_some(NameProblem::TooLong(length)),
        is_not_lowercase(name).then_some(NameProblem::Uppercase),
        (name.starts_with('-') || name.ends_with('-')).then_some(NameProblem::OuterHyphen),
        name.contains("--").then_some(NameProblem::DoubleHyphen),
        bad.map(NameProblem::Character),
    ];
    found.into_iter().flatten()
}

fn is_not_lowercase(name: &str) -> bool {
    if name.is_ascii() {
        name.bytes().any(|byte| byte.is_ascii_uppercase())
    } else {
        name != name.to_lowercase()
    }
}

/// Letters and digits of every script; combining marks and symbols are neither.
fn is_letter_or_digit(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    // Enclosed letters such as U+1F150 count as alphabetic in Unicode but are symbols.
    let symbol = ('\u{1f130}'..='\u{1f189}').contains(&c);
    (c.is_alphabetic() && !is_combining_mark(c) && !symbol) || c.is_numeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expected: &[NameProblem]) {
        let found: Vec<_> = problems(&normalise(name)).collect();
        assert_eq!(found, expected, "{name}");
    }

    #[test]
    fn valid_names() {
        for name in [
            "pdf",
            "a",
            "pdf-2",
            "技能",
            "мой-навык",
            "café",
            "ﬁle",
            "x²",
            "straße",
            "a٣",
        ] {
            check(name, &[]);
        }
    }

    #[test]
    fn invalid_names() {
        use NameProblem::{Character, DoubleHyphen, Empty, OuterHyphen, TooLong, Uppercase};
        check(" ", &[Empty]);
        check(&"a".repeat(65), &[TooLong(65)]);
        check("PDF Tool", &[Uppercase, Character(' ')]);
        check("НАВЫК", &[Uppercase]);
        check("-a--b-", &[OuterHyphen, DoubleHyphen]);
        check("a_b", &[Character('_')]);
        check("हिन्दी", &[Character('\u{93f}')]);
        check("../x", &[Character('.')]);
        check("a/b", &[Character('/')]);
    }

    #[test]
    fn characters_that_nobody_sees_make_no_other_name() {
        for written in [
            "deploy",
            " deploy \u{200b}",
            "dep\u{ad}loy\u{feff}",
            "\u{2060}deploy\0",
            "de\u{200d}ploy\u{fe0f}",
            "deploy\u{e0061}\u{3164}\u{1b}",
            "dep\u{2028}loy",
            "\u{ff44}eploy",
        ] {
            assert_eq!(known_as(written), "deploy", "{written:?}");
        }
        // The rules still see what is wrong with it.
        check("deploy\u{200b}", &[NameProblem::Character('\u{200b}')]);
        for kept in ["Deploy it", "मेरा", "café", "🚀 go", "a\tb"] {
            assert_eq!(known_as(kept), normalise(kept), "{kept:?}");
        }
        assert_eq!(known_as("\u{200b}"), "");
    }

    #[test]
    fn disguised_names() {
        let is_disguised = |name: &str| SkillName::new(name).unwrap().is_disguised();
        for honest in ["pdf-tools", "größen", "навык", "表格", "表格-2", "café"] {
            assert!(!is_disguised(honest), "{honest}");
        }
        for disguised in ["pаypal", "рау", "ɡit", "gıt"] {
            assert!(is_disguised(disguised), "{disguised}");
        }
    }

    #[test]
    fn a_name_can_be_made_from_text() {
        let made = |text: &str| SkillName::from_text(text).map(|name| name.to_string());
        assert_eq!(made("My  PDF_Tool!"), Some("my-pdf-tool".into()));
        assert_eq!(made("de\u{200b}ploy\0"), Some("deploy".into()));
        assert_eq!(made("---"), None);
        assert_eq!(made(&"ab ".repeat(40)).map(|name| name.len()), Some(64));
    }
}

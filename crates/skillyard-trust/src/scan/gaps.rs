//! The parts of a pattern that counts what lies between them, looked for one after the other.
//!
//! An engine that counts up to forty has forty times the states, and makes each when it first needs
//! it. The parts alone have few, and most texts that hold the words of a pattern lack a part, or
//! have them in another order, so that the whole pattern is not even compiled.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};

/// Fewer than so many repetitions cost nothing worth saving.
const SHORTEST: u32 = 8;

/// What has to stand in a text in this order so that a pattern can match in it.
#[derive(Debug)]
pub(crate) struct Gaps {
    parts: Box<[Part]>,
}

#[derive(Debug)]
struct Part {
    source: String,
    /// How many bytes it has at least.
    length: usize,
    compiled: OnceLock<Option<Regex>>,
}

impl Gaps {
    /// The parts of a pattern, if there are gaps between them.
    pub(crate) fn of(source: &str) -> Option<Self> {
        let pattern = parsed(source)?;
        let HirKind::Concat(each) = pattern.kind() else {
            return None;
        };
        let parts: Vec<Part> = each
            .split(is_gap)
            .filter_map(|each| Part::of(each.to_vec()))
            .collect();
        (parts.len() > 1).then(|| Self {
            parts: parts.into(),
        })
    }

    /// Whether all parts stand in `text`, in order.
    pub(crate) fn may_match(&self, text: &[u8]) -> bool {
        let mut from = 0;
        self.parts.iter().all(|part| {
            let Some(regex) = part.regex() else {
                return true;
            };
            let found = regex.find_at(text, from);
            // No match of the part starts before this one, so none of what follows does either.
            from = found.map_or(from, |found| found.start() + part.length);
            found.is_some()
        })
    }
}

impl Part {
    fn of(pieces: Vec<Hir>) -> Option<Self> {
        let whole = Hir::concat(pieces);
        let length = whole.properties().minimum_len()?;
        (length > 0).then(|| Self {
            source: whole.to_string(),
            length,
            compiled: OnceLock::new(),
        })
    }

    fn regex(&self) -> Option<&Regex> {
        let compile = || RegexBuilder::new(&self.source).unicode(false).build().ok();
        self.compiled.get_or_init(compile).as_ref()
    }
}

/// A pattern taken apart, by the rules that patterns are compiled by.
fn parsed(source: &str) -> Option<Hir> {
    ParserBuilder::new()
        .unicode(false)
        .utf8(false)
        .ignore_whitespace(true)
        .dot_matches_new_line(true)
        .build()
        .parse(source)
        .ok()
}

fn is_gap(part: &Hir) -> bool {
    match part.kind() {
        HirKind::Repetition(gap) => gap.min == 0 && gap.max.is_some_and(|most| most >= SHORTEST),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_looked_for_in_order() {
        let gaps =
            Gaps::of(r"\b(?:ask|tell)\b[^.]{0,60}\busers?\b[^.]{0,60}\bpass words?").unwrap();
        for (text, may) in [
            ("ask the user for a passwords", true),
            ("tell users: password, or password", true),
            ("the user asks for a password", false),
            ("ask for the password of the user", false),
            ("ask the user", false),
            ("task the user for a password", false),
            ("", false),
        ] {
            assert_eq!(gaps.may_match(text.as_bytes()), may, "{text}");
        }
    }

    #[test]
    fn parts_may_touch_but_not_overlap() {
        let gaps = Gaps::of(r"abab.{0,9}ab").unwrap();
        assert!(gaps.may_match(b"ababab"));
        assert!(!gaps.may_match(b"abab"));
    }

    #[test]
    fn a_pattern_without_two_parts_has_none() {
        for source in [
            r"abc",
            r"abc.{0,40}",
            r"a|b.{0,40}c",
            r"a.{0,3}b",
            r"a?.{0,40}b",
        ] {
            assert!(Gaps::of(source).is_none(), "{source}");
        }
    }
}

//! The parts of a pattern that counts what lies between them, looked for one after the other.
//!
//! An engine that counts up to forty has forty times the states, and makes each when it first needs
//! it. The parts alone have few, and most texts that hold the words of a pattern lack a part, or
//! have them in another order, so that the whole pattern is not even compiled.

use regex_syntax::hir::{Hir, HirKind};

use super::expression::Expression;

/// Fewer than so many repetitions cost nothing worth saving.
const SHORTEST: u32 = 8;

/// What has to stand in a text in this order so that a pattern can match in it.
#[derive(Debug)]
pub(crate) struct Gaps {
    parts: Box<[Expression]>,
}

impl Gaps {
    /// The parts of a pattern, if there are gaps between them.
    pub(crate) fn of(pattern: &Hir) -> Option<Self> {
        let HirKind::Concat(each) = pattern.kind() else {
            return None;
        };
        let parts: Vec<Expression> = each
            .split(is_gap)
            .map(|pieces| Hir::concat(pieces.to_vec()))
            .filter(|part| {
                part.properties()
                    .minimum_len()
                    .is_some_and(|length| length > 0)
            })
            .map(Expression::new)
            .collect();
        (parts.len() > 1).then(|| Self {
            parts: parts.into(),
        })
    }

    /// Whether all parts stand in `text`, in order.
    pub(crate) fn may_match(&self, text: &[u8]) -> bool {
        let mut from = 0;
        self.parts.iter().all(|part| {
            let end = part.first_end(text, from);
            // No match of the part ends before this one, so none of what follows starts before.
            from = end.unwrap_or(from);
            end.is_some()
        })
    }
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
    use crate::expression::parsed;

    fn gaps(source: &str) -> Option<Gaps> {
        Gaps::of(&parsed(source).unwrap())
    }

    #[test]
    fn parts_are_looked_for_in_order() {
        let gaps = gaps(r"\b(?:ask|tell)\b[^.]{0,60}\busers?\b[^.]{0,60}\bpass words?").unwrap();
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
        let gaps = gaps(r"abab.{0,9}ab").unwrap();
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
            assert!(gaps(source).is_none(), "{source}");
        }
    }

    #[test]
    fn every_part_of_every_pattern_compiles() {
        let mut seen = 0;
        for source in crate::pattern::tests::all_sources() {
            let parts = gaps(&source).map_or(Box::default(), |gaps| gaps.parts);
            assert!(parts.iter().all(Expression::is_sound), "{source}");
            seen += parts.len();
        }
        assert!(seen > 100, "{seen}");
    }
}

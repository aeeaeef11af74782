//! An expression that is compiled only as far as it is needed.
//!
//! Most expressions that a text does not rule out by its words still do not match in it, and most
//! texts are few: to get everything ready that makes a search quick takes far longer than the
//! searches. So texts are looked through by an automaton that makes its states as it goes
//! and tells where a match ends; where one starts is told by a second, from there backwards. The
//! whole expression follows for texts that take too many states.

use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use regex_automata::meta::{self, Regex};
use regex_automata::util::iter::Searcher;
use regex_automata::{Anchored, HalfMatch, Input, Match, MatchError};
use regex_syntax::hir::Hir;
use regex_syntax::{Error, ParserBuilder};

use super::quick::{Direction, Quick, Unknown};

/// States of so many bytes took longer to make than the whole expression would.
const LARGE: usize = 256 << 10;

/// An expression, and what has been made of it.
pub(crate) struct Expression {
    meaning: Hir,
    is_costly: AtomicBool,
    forward: OnceLock<Option<Quick>>,
    backward: OnceLock<Option<Quick>>,
    whole: OnceLock<Option<Regex>>,
}

impl Expression {
    /// An expression that nobody has asked about yet.
    pub(crate) fn new(meaning: Hir) -> Self {
        Self {
            meaning,
            is_costly: AtomicBool::new(false),
            forward: OnceLock::new(),
            backward: OnceLock::new(),
            whole: OnceLock::new(),
        }
    }

    /// What it was made of.
    pub(crate) fn meaning(&self) -> &Hir {
        &self.meaning
    }

    /// Where the match ends that ends first, among those that begin at `from` or later.
    pub(crate) fn first_end(&self, text: &[u8], from: usize) -> Option<usize> {
        let input = Input::new(text).range(from..).earliest(true);
        let found = match self.quick_end(&input) {
            Ok(found) => found,
            Err(Unknown) => self.whole()?.search_half(&input),
        };
        found.map(|found| found.offset())
    }

    /// The first match.
    pub(crate) fn find(&self, text: &[u8]) -> Option<Range<usize>> {
        self.search(&Input::new(text)).map(|found| found.range())
    }

    /// Every match, none in another.
    pub(crate) fn find_all(&self, text: &[u8]) -> impl Iterator<Item = Range<usize>> {
        let mut searcher = Searcher::new(Input::new(text));
        let next = move || {
            let found = searcher.advance(|input| Ok::<_, MatchError>(self.search(input)));
            found.map(|found| found.range())
        };
        std::iter::from_fn(next)
    }

    fn search(&self, input: &Input<'_>) -> Option<Match> {
        match self.quick_search(input) {
            Ok(found) => found,
            Err(Unknown) => self.whole()?.search(input),
        }
    }

    /// Searches without the whole expression.
    fn quick_search(&self, input: &Input<'_>) -> Result<Option<Match>, Unknown> {
        let Some(end) = self.quick_end(input)? else {
            return Ok(None);
        };
        let before = input.clone().span(input.start()..end.offset());
        let before = before.anchored(Anchored::Yes).earliest(false);
        let read = || Quick::of(&self.meaning, Direction::Backward);
        let start = self.ask(&self.backward, read, |quick| quick.start(&before))?;
        let start = start.ok_or(Unknown)?.offset();
        Ok(Some(Match::new(end.pattern(), start..end.offset())))
    }

    /// Where a match ends, without the whole expression.
    fn quick_end(&self, input: &Input<'_>) -> Result<Option<HalfMatch>, Unknown> {
        if self.is_costly.load(Ordering::Relaxed) {
            return Err(Unknown);
        }
        let read = || Quick::of(&self.meaning, Direction::Forward);
        self.ask(&self.forward, read, |quick| quick.end(input))
    }

    fn ask(
        &self,
        quick: &OnceLock<Option<Quick>>,
        read: impl FnOnce() -> Option<Quick>,
        search: impl FnOnce(&Quick) -> Result<(Option<HalfMatch>, usize), Unknown>,
    ) -> Result<Option<HalfMatch>, Unknown> {
        let (found, size) = search(quick.get_or_init(read).as_ref().ok_or(Unknown)?)?;
        if size > LARGE {
            self.is_costly.store(true, Ordering::Relaxed);
        }
        Ok(found)
    }

    /// Whether it can be compiled; all of ours can.
    #[cfg(test)]
    pub(super) fn is_sound(&self) -> bool {
        let both = [Direction::Forward, Direction::Backward];
        let quick = both.map(|each| Quick::of(&self.meaning, each).is_some());
        quick == [true; 2] && self.whole().is_some()
    }

    fn whole(&self) -> Option<&Regex> {
        let compile = || {
            let mut builder = meta::Builder::new();
            builder.configure(meta::Config::new().utf8_empty(false));
            builder.build_from_hir(&self.meaning).ok()
        };
        self.whole.get_or_init(compile).as_ref()
    }
}

impl fmt::Debug for Expression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Expression({})", self.meaning)
    }
}

/// Reads the source of an expression over bytes, in which blanks and line breaks mean nothing.
pub(crate) fn parsed(source: &str) -> Result<Hir, Box<Error>> {
    ParserBuilder::new()
        .unicode(false)
        .utf8(false)
        .ignore_whitespace(true)
        .dot_matches_new_line(true)
        .build()
        .parse(source)
        .map_err(Box::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expression(source: &str) -> Expression {
        Expression::new(parsed(source).unwrap())
    }

    #[test]
    fn the_first_end_is_the_same_with_the_whole_expression() {
        for (source, text, from, end) in [
            (r"\bask\b", "task ask asks", 0, Some(8)),
            (r"\bask\b", "task ask asks", 6, None),
            (r"a+", "xaaa", 0, Some(2)),
            (r"a.{0,9}c|b", "abc", 0, Some(2)),
            (r"\bsk\b", "ask", 1, None),
            (r"x", "", 0, None),
        ] {
            let expression = expression(source);
            for is_costly in [false, true] {
                expression.is_costly.store(is_costly, Ordering::Relaxed);
                let found = expression.first_end(text.as_bytes(), from);
                assert_eq!(found, end, "{source} in {text}, {is_costly}");
                assert_eq!(expression.whole.get().is_some(), is_costly);
            }
        }
    }

    #[test]
    fn matches_are_the_same_with_the_whole_expression() {
        for (source, text, ranges) in [
            (r"b{2,}", "abab", &[][..]),
            (r"b{2,}", "abbba bb", &[1..4, 6..8]),
            // The first of the alternatives, not the longest.
            (r"a|ab|b", "abab", &[0..1, 1..2, 2..3, 3..4]),
            (r"\bask\b", "ask task ask", &[0..3, 9..12]),
            (r"a.*?c", "aabcc abc", &[0..4, 6..9]),
            (r"(?:^|x)a", "axaa", &[0..1, 1..3]),
            (r"x*", "axx", &[0..0, 1..3]),
            (r"x", "", &[]),
        ] {
            let expression = expression(source);
            for is_costly in [false, true] {
                expression.is_costly.store(is_costly, Ordering::Relaxed);
                let found: Vec<_> = expression.find_all(text.as_bytes()).collect();
                assert_eq!(found, ranges, "{source} in {text}, {is_costly}");
                let first = expression.find(text.as_bytes());
                assert_eq!(first.as_ref(), ranges.first(), "{source} in {text}");
                assert_eq!(expression.whole.get().is_some(), is_costly);
            }
        }
    }

    #[test]
    fn every_pattern_finds_the_same_with_the_whole_expression() {
        let sources = crate::pattern::tests::all_sources();
        let is_syntax = |c: char| matches!(c, '\\' | '(' | ')' | '?' | '[' | ']' | '{' | '}' | '|');
        let words = |source: &String| source.replace(is_syntax, " ").to_lowercase();
        let everything: Vec<String> = sources.iter().map(words).collect();
        let everything = everything.join(". ");
        let mut found = 0;
        for source in &sources {
            let expression = expression(source);
            for text in [&words(source), &everything] {
                let quick: Vec<_> = expression.find_all(text.as_bytes()).collect();
                let whole = expression.whole().unwrap().find_iter(text);
                let whole: Vec<_> = whole.map(|each| each.range()).collect();
                assert_eq!(quick, whole, "{source}");
                found += whole.len();
            }
        }
        assert!(found > 1000, "{found}");
    }

    #[test]
    fn a_text_that_makes_too_many_states_is_searched_all_the_same() {
        let expression = expression(r"[ab]*a[ab]{60}x");
        let mut number = 1_u64;
        let mut random = || {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            b"ab"[(number >> 63) as usize]
        };
        let mut text: Vec<u8> = (0..60_000).map(|_| random()).collect();
        assert_eq!(expression.first_end(&text, 0), None);
        text.push(b'x');
        let a = text[text.len() - 62] == b'a';
        assert_eq!(expression.first_end(&text, 0).is_some(), a);
        assert!(expression.whole.get().is_some());
    }
}

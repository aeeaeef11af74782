//! An expression that is compiled only as far as it is needed.
//!
//! Most expressions that a text does not rule out by its words still do not match in it, and most
//! texts are few: to get everything ready that makes a search quick takes far longer than the
//! searches. So texts are looked through by an automaton that makes its states as it goes
//! and reports where a match ends; a second one finds its start, from there backwards. The
//! whole expression follows for texts that take too many states.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};

use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::meta::{self, Regex};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::iter::Searcher;
use regex_automata::{Anchored, HalfMatch, Input, Match, MatchError, MatchKind};
use regex_syntax::hir::Hir;
use regex_syntax::{Error, ParserBuilder};

/// States of so many bytes took longer to make than the whole expression would.
const MAX_DFA_BYTES: usize = 256 << 10;

/// An expression, and what has been made of it.
pub(crate) struct LazyRegex {
    meaning: Hir,
    is_too_large: AtomicBool,
    forward: OnceLock<Option<LazyDfa>>,
    backward: OnceLock<Option<LazyDfa>>,
    full: OnceLock<Option<Regex>>,
}

impl LazyRegex {
    /// An expression that is not compiled yet.
    pub(crate) fn new(meaning: Hir) -> Self {
        Self {
            meaning,
            is_too_large: AtomicBool::new(false),
            forward: OnceLock::new(),
            backward: OnceLock::new(),
            full: OnceLock::new(),
        }
    }

    /// What it was made of.
    pub(crate) fn meaning(&self) -> &Hir {
        &self.meaning
    }

    /// Where the match ends that ends first, among those that begin at `from` or later.
    pub(crate) fn first_end(&self, text: &[u8], from: usize) -> Option<usize> {
        let input = Input::new(text).range(from..).earliest(true);
        let found = match self.dfa_end(&input) {
            Ok(found) => found,
            Err(Undecided) => self.full()?.search_half(&input),
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
        match self.dfa_search(input) {
            Ok(found) => found,
            Err(Undecided) => self.full()?.search(input),
        }
    }

    /// Searches without the whole expression.
    fn dfa_search(&self, input: &Input<'_>) -> Result<Option<Match>, Undecided> {
        let Some(end) = self.dfa_end(input)? else {
            return Ok(None);
        };
        let before = input.clone().span(input.start()..end.offset());
        let before = before.anchored(Anchored::Yes).earliest(false);
        let read = || LazyDfa::of(&self.meaning, Direction::Backward);
        let start = self.ask(&self.backward, read, |dfa| dfa.start(&before))?;
        let start = start.ok_or(Undecided)?.offset();
        Ok(Some(Match::new(end.pattern(), start..end.offset())))
    }

    /// Where a match ends, without the whole expression.
    fn dfa_end(&self, input: &Input<'_>) -> Result<Option<HalfMatch>, Undecided> {
        if self.is_too_large.load(Ordering::Relaxed) {
            return Err(Undecided);
        }
        let read = || LazyDfa::of(&self.meaning, Direction::Forward);
        self.ask(&self.forward, read, |dfa| dfa.end(input))
    }

    fn ask(
        &self,
        dfa: &OnceLock<Option<LazyDfa>>,
        read: impl FnOnce() -> Option<LazyDfa>,
        search: impl FnOnce(&LazyDfa) -> Result<(Option<HalfMatch>, usize), Undecided>,
    ) -> Result<Option<HalfMatch>, Undecided> {
        let (found, size) = search(dfa.get_or_init(read).as_ref().ok_or(Undecided)?)?;
        if size > MAX_DFA_BYTES {
            self.is_too_large.store(true, Ordering::Relaxed);
        }
        Ok(found)
    }

    /// Whether it can be compiled; all of ours can.
    #[cfg(test)]
    pub(super) fn is_sound(&self) -> bool {
        let both = [Direction::Forward, Direction::Backward];
        let dfa = both.map(|each| LazyDfa::of(&self.meaning, each).is_some());
        dfa == [true; 2] && self.full().is_some()
    }

    fn full(&self) -> Option<&Regex> {
        let compile = || {
            let mut builder = meta::Builder::new();
            builder.configure(meta::Config::new().utf8_empty(false));
            builder.build_from_hir(&self.meaning).ok()
        };
        self.full.get_or_init(compile).as_ref()
    }
}

impl fmt::Debug for LazyRegex {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Expression({})", self.meaning)
    }
}

/// Reads the source of an expression over bytes, in which blanks and line breaks mean nothing.
pub(crate) fn parse_pattern(source: &str) -> Result<Hir, Box<Error>> {
    ParserBuilder::new()
        .unicode(false)
        .utf8(false)
        .ignore_whitespace(true)
        .dot_matches_new_line(true)
        .build()
        .parse(source)
        .map_err(Box::new)
}

/// This engine cannot answer; the full expression must.
#[derive(Debug)]
pub(super) struct Undecided;

/// Which way a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Backward,
}

/// What tells one end of a match, and nothing else.
pub(super) struct LazyDfa {
    automaton: DFA,
    /// The states that were made so far, one set for each thread that ever searched.
    states: Mutex<Vec<Cache>>,
}

impl LazyDfa {
    /// That of an expression; nothing where there can be none.
    pub(super) fn of(meaning: &Hir, direction: Direction) -> Option<Self> {
        let is_backward = direction == Direction::Backward;
        let config = thompson::Config::new()
            .utf8(false)
            .reverse(is_backward)
            .which_captures(WhichCaptures::None);
        let mut compiler = thompson::Compiler::new();
        let states = compiler.configure(config).build_from_hir(meaning).ok()?;
        // A text for which it makes a state with every other byte is better searched otherwise.
        let patience = Config::new()
            .match_kind(if is_backward {
                MatchKind::All
            } else {
                MatchKind::LeftmostFirst
            })
            .minimum_cache_clear_count(Some(3))
            .minimum_bytes_per_state(Some(10));
        let automaton = DFA::builder().configure(patience).build_from_nfa(states);
        Some(Self {
            automaton: automaton.ok()?,
            states: Mutex::default(),
        })
    }

    /// Where the first match ends, and the current size of the states.
    pub(super) fn end(&self, input: &Input<'_>) -> Result<(Option<HalfMatch>, usize), Undecided> {
        self.with_states(|states| self.automaton.try_search_fwd(states, input))
    }

    /// Where the match starts that ends where the text does, and the current size of the states.
    pub(super) fn start(&self, input: &Input<'_>) -> Result<(Option<HalfMatch>, usize), Undecided> {
        self.with_states(|states| self.automaton.try_search_rev(states, input))
    }

    fn with_states(
        &self,
        search: impl FnOnce(&mut Cache) -> Result<Option<HalfMatch>, MatchError>,
    ) -> Result<(Option<HalfMatch>, usize), Undecided> {
        let states = self.states.lock().map_err(|_| Undecided)?.pop();
        let mut states = states.unwrap_or_else(|| self.automaton.create_cache());
        let found = search(&mut states);
        let size = states.memory_usage();
        self.states.lock().map_err(|_| Undecided)?.push(states);
        Ok((found.map_err(|_| Undecided)?, size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expression(source: &str) -> LazyRegex {
        LazyRegex::new(parse_pattern(source).unwrap())
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
            for is_too_large in [false, true] {
                expression
                    .is_too_large
                    .store(is_too_large, Ordering::Relaxed);
                let found = expression.first_end(text.as_bytes(), from);
                assert_eq!(found, end, "{source} in {text}, {is_too_large}");
                assert_eq!(expression.full.get().is_some(), is_too_large);
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
            for is_too_large in [false, true] {
                expression
                    .is_too_large
                    .store(is_too_large, Ordering::Relaxed);
                let found: Vec<_> = expression.find_all(text.as_bytes()).collect();
                assert_eq!(found, ranges, "{source} in {text}, {is_too_large}");
                let first = expression.find(text.as_bytes());
                assert_eq!(first.as_ref(), ranges.first(), "{source} in {text}");
                assert_eq!(expression.full.get().is_some(), is_too_large);
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
                let dfa: Vec<_> = expression.find_all(text.as_bytes()).collect();
                let full = expression.full().unwrap().find_iter(text);
                let full: Vec<_> = full.map(|each| each.range()).collect();
                assert_eq!(dfa, full, "{source}");
                found += full.len();
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
        assert!(expression.full.get().is_some());
    }
}

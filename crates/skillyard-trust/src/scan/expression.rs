//! An expression that is compiled only as far as it is needed.
//!
//! Most expressions that a text does not rule out by its words still do not match in it, and most
//! texts are few: to get everything ready that makes a search quick takes far longer than the
//! searches. So the first texts are looked through by an automaton that makes its states as it goes
//! and can only tell where a match ends. The whole expression follows when a match has to be found
//! from end to end, or when there turn out to be many texts, or costly ones.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::meta::{self, Regex};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::{HalfMatch, Input};
use regex_syntax::hir::Hir;
use regex_syntax::{Error, ParserBuilder};

/// After so many searches the whole expression is worth its price.
const MANY: u32 = 64;
/// States of so many bytes took longer to make than the whole expression would.
const LARGE: usize = 64 << 10;

/// An expression, and what has been made of it.
pub(crate) struct Expression {
    meaning: Hir,
    searches: AtomicU32,
    quick: OnceLock<Option<Quick>>,
    whole: OnceLock<Option<Regex>>,
}

impl Expression {
    /// An expression that nobody has asked about yet.
    pub(crate) fn new(meaning: Hir) -> Self {
        Self {
            meaning,
            searches: AtomicU32::new(0),
            quick: OnceLock::new(),
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
        let found = match self.quick_look(&input) {
            Ok(found) => found,
            Err(Unknown) => self.whole()?.search_half(&input),
        };
        found.map(|found| found.offset())
    }

    /// The whole expression, if it matches in `text`.
    pub(crate) fn matching(&self, text: &[u8]) -> Option<&Regex> {
        match self.quick_look(&Input::new(text).earliest(true)) {
            Ok(None) => None,
            _ => self.whole(),
        }
    }

    /// Searches without the whole expression, as long as it is not there.
    fn quick_look(&self, input: &Input<'_>) -> Result<Option<HalfMatch>, Unknown> {
        if self.whole.get().is_some() || self.searches.fetch_add(1, Ordering::Relaxed) >= MANY {
            return Err(Unknown);
        }
        let quick = self.quick.get_or_init(|| Quick::of(&self.meaning));
        let (found, size) = quick.as_ref().ok_or(Unknown)?.search(input)?;
        if size > LARGE {
            self.searches.store(MANY, Ordering::Relaxed);
        }
        Ok(found)
    }

    /// Whether it can be compiled; all of ours can.
    #[cfg(test)]
    pub(super) fn is_sound(&self) -> bool {
        Quick::of(&self.meaning).is_some() && self.whole().is_some()
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

/// Somebody else has to be asked.
#[derive(Debug)]
struct Unknown;

/// What tells where a match ends, and nothing else.
struct Quick {
    forward: DFA,
    /// The states that were made so far, one set for each thread that ever searched.
    states: Mutex<Vec<Cache>>,
}

impl Quick {
    fn of(meaning: &Hir) -> Option<Self> {
        let config = thompson::Config::new()
            .utf8(false)
            .which_captures(WhichCaptures::None);
        let mut compiler = thompson::Compiler::new();
        let states = compiler.configure(config).build_from_hir(meaning).ok()?;
        // A text for which it makes a state with every other byte is better searched otherwise.
        let patience = Config::new()
            .minimum_cache_clear_count(Some(3))
            .minimum_bytes_per_state(Some(10));
        let forward = DFA::builder().configure(patience).build_from_nfa(states);
        Some(Self {
            forward: forward.ok()?,
            states: Mutex::default(),
        })
    }

    /// Where the first match ends, and how large the states are by now.
    fn search(&self, input: &Input<'_>) -> Result<(Option<HalfMatch>, usize), Unknown> {
        let states = self.states.lock().map_err(|_| Unknown)?.pop();
        let mut states = states.unwrap_or_else(|| self.forward.create_cache());
        let found = self.forward.try_search_fwd(&mut states, input);
        let size = states.memory_usage();
        self.states.lock().map_err(|_| Unknown)?.push(states);
        Ok((found.map_err(|_| Unknown)?, size))
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
    fn the_first_end_is_the_same_before_and_after_many_searches() {
        for (source, text, from, end) in [
            (r"\bask\b", "task ask asks", 0, Some(8)),
            (r"\bask\b", "task ask asks", 6, None),
            (r"a+", "xaaa", 0, Some(2)),
            (r"a.{0,9}c|b", "abc", 0, Some(2)),
            (r"\bsk\b", "ask", 1, None),
            (r"x", "", 0, None),
        ] {
            let expression = expression(source);
            for search in 0..2 * MANY {
                let found = expression.first_end(text.as_bytes(), from);
                assert_eq!(found, end, "{source} in {text}, search {search}");
            }
            assert!(expression.whole.get().is_some());
        }
    }

    #[test]
    fn a_match_is_found_from_end_to_end() {
        let expression = expression(r"b{2,}");
        assert!(expression.matching(b"abab").is_none());
        assert!(expression.whole.get().is_none(), "it was not needed yet");
        let found = expression
            .matching(b"abbba")
            .unwrap()
            .find("abbba")
            .unwrap();
        assert_eq!(found.range(), 1..4);
    }

    #[test]
    fn a_text_that_makes_too_many_states_is_searched_all_the_same() {
        let expression = expression(r"[ab]*a[ab]{60}x");
        let mut text: Vec<u8> = (0u32..60_000)
            .map(|at| b"ab"[(at.wrapping_mul(2_654_435_761) >> 16 & 1) as usize])
            .collect();
        assert_eq!(expression.first_end(&text, 0), None);
        text.push(b'x');
        let a = text[text.len() - 62] == b'a';
        assert_eq!(expression.first_end(&text, 0).is_some(), a);
    }
}

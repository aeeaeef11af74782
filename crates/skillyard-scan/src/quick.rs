//! An automaton that makes its states as it goes and tells one end of a match.

use std::sync::Mutex;

use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::{HalfMatch, Input, MatchError, MatchKind};
use regex_syntax::hir::Hir;

/// Somebody else has to be asked.
#[derive(Debug)]
pub(super) struct Unknown;

/// Which way a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Backward,
}

/// What tells one end of a match, and nothing else.
pub(super) struct Quick {
    automaton: DFA,
    /// The states that were made so far, one set for each thread that ever searched.
    states: Mutex<Vec<Cache>>,
}

impl Quick {
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

    /// Where the first match ends, and how large the states are by now.
    pub(super) fn end(&self, input: &Input<'_>) -> Result<(Option<HalfMatch>, usize), Unknown> {
        self.with_states(|states| self.automaton.try_search_fwd(states, input))
    }

    /// Where the match starts that ends where the text does, and how large the states are by now.
    pub(super) fn start(&self, input: &Input<'_>) -> Result<(Option<HalfMatch>, usize), Unknown> {
        self.with_states(|states| self.automaton.try_search_rev(states, input))
    }

    fn with_states(
        &self,
        search: impl FnOnce(&mut Cache) -> Result<Option<HalfMatch>, MatchError>,
    ) -> Result<(Option<HalfMatch>, usize), Unknown> {
        let states = self.states.lock().map_err(|_| Unknown)?.pop();
        let mut states = states.unwrap_or_else(|| self.automaton.create_cache());
        let found = search(&mut states);
        let size = states.memory_usage();
        self.states.lock().map_err(|_| Unknown)?.push(states);
        Ok((found.map_err(|_| Unknown)?, size))
    }
}

//! What people are told of what they ask for, each once, and in one order whoever answers first.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use crate::printer::Printer;
use crate::sanitize::visible;

/// A line for people.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Note {
    /// About how it is.
    Plain(String),
    /// About what should be looked into.
    Warning(String),
}

/// What was told, and what waits until all have answered.
#[derive(Debug, Default)]
pub(super) struct Notes(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    told: HashSet<Note>,
    /// Nothing where it is told at once.
    held: Option<Vec<Note>>,
}

impl Notes {
    /// Says something, but not each time that it comes up.
    pub(super) fn tell(&self, printer: &Printer, note: Note) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.told.insert(note.clone()) {
            match &mut state.held {
                Some(held) => held.push(note),
                None => note.tell(printer),
            }
        }
    }

    /// Holds back what is to be said until [`Self::release`].
    pub(super) fn hold(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.held = Some(Vec::new());
    }

    /// Says what was held back.
    pub(super) fn release(&self, printer: &Printer) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut held = state.held.take().unwrap_or_default();
        held.sort_unstable();
        for note in held {
            note.tell(printer);
        }
    }
}

impl Note {
    fn tell(&self, printer: &Printer) {
        match self {
            Self::Plain(text) => printer.note(&visible(text)),
            Self::Warning(text) => printer.warn(text),
        }
    }
}

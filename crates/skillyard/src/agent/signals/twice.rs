//! Ctrl-C that ends the program: the second one in a turn, and one from outside where nothing is
//! under way.
//!
//! Whoever ended within the signal itself would leave the terminal as it is at a question.

use std::io::{self, IsTerminal as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::low_level::exit;

use super::ending::{Shown, hands_over_keys};
use crate::terminal::Bell;

/// Who attends to Ctrl-C.
pub(super) struct Twice {
    /// It came once in this turn.
    pub(super) once: Arc<AtomicBool>,
    /// It came, and nobody has forgotten it since.
    pub(super) stop: Arc<AtomicBool>,
    /// Nothing is under way.
    pub(super) waiting: Arc<AtomicBool>,
    /// The terminal as it was.
    pub(super) shown: Shown,
}

impl Twice {
    /// Waits for it.
    pub(super) fn attend(self) -> io::Result<Bell> {
        Bell::new(move || {
            if self.ends() {
                self.shown.restore();
                exit(130)
            }
        })
    }

    fn ends(&self) -> bool {
        // What came for the turn before is not meant for the line.
        let is_waiting = self.waiting.load(Ordering::SeqCst) && self.stop.load(Ordering::SeqCst);
        if hands_over_keys() {
            // It was not typed. A question hears it, the editor of a line does not.
            return is_waiting;
        }
        // Nobody can type into a pipe that the line is taken back.
        (is_waiting && !io::stdin().is_terminal()) || self.once.swap(true, Ordering::SeqCst)
    }
}

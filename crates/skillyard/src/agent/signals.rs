//! What a talk does with signals: one stops the turn, others end the talk behind it.
//!
//! Before the first turn, and while somebody is waited for, nothing is under way that could be lost:
//! there the signals that end programs end this one at once. Elsewhere somebody sees to it that the
//! talk does end, be it that nobody reads what it says. Ctrl-C stops the turn, also at a question,
//! and is typed where a line is edited: a signal for it there ends the program as others do.

mod ending;

use std::io;
use std::io::IsTerminal as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTTIN, SIGTTOU};
use signal_hook::flag::{
    register, register_conditional_default, register_conditional_shutdown, register_usize,
};
use signal_hook::low_level::exit;

use crate::agent::signals::ending::{ExitHandler, SavedTerminal, hands_over_keys};

use crate::terminal::{SignalState, SignalWaker};

/// The signals that were heard.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    /// The turn is to stop.
    stop: Arc<AtomicBool>,
    /// The signal by which the talk is to end; zero before.
    end: Arc<AtomicUsize>,
    /// Nothing is under way.
    waiting: Arc<AtomicBool>,
    /// Ctrl-C came once in this turn.
    once: Arc<AtomicBool>,
    /// The terminal as it was.
    shown: SavedTerminal,
    /// Wakes who attends to Ctrl-C.
    bell: Option<SignalWaker>,
}

impl Signals {
    /// Hears them from now on, also at questions; what cannot be heard ends us as ever.
    pub(crate) fn hear(at_questions: &SignalState) -> Self {
        let mut signals = Self {
            shown: SavedTerminal::now(),
            ..Self::default()
        };
        let Self {
            stop,
            end,
            waiting,
            once,
            ..
        } = &signals;
        waiting.store(true, Ordering::SeqCst);
        at_questions.elsewhere(stop);
        let twice = Twice {
            once: Arc::clone(once),
            stop: Arc::clone(stop),
            waiting: Arc::clone(waiting),
            shown: signals.shown.clone(),
        };
        let attended = twice.attend();
        if attended.is_err() {
            // Nobody can be there who would see to the terminal.
            let _ = register_conditional_shutdown(SIGINT, 130, Arc::clone(stop));
        }
        let _ = register(SIGINT, Arc::clone(stop));
        let attended = attended.ok();
        if let Some(bell) = &attended {
            bell.rings_at(SIGINT);
        }
        // Under `nohup` there is no terminal whose end could matter.
        let at_terminal = io::stdin().is_terminal() || io::stderr().is_terminal();
        let ending = ExitHandler {
            end: Arc::clone(end),
            waiting: Arc::clone(waiting),
            shown: signals.shown.clone(),
        };
        let ends = [
            (SIGTERM, true),
            (SIGHUP, at_terminal),
            (SIGQUIT, at_terminal),
        ];
        let ends = ends.into_iter().filter(|(_, heard)| *heard);
        let ends: Vec<i32> = ends.map(|(signal, _)| signal).collect();
        if let Ok(bell) = ending.attend() {
            let ended = Arc::default();
            for signal in ends {
                let _ = register(signal, Arc::clone(&ended));
                let number = usize::try_from(signal).unwrap_or_default();
                let _ = register_usize(signal, Arc::clone(end), number);
                let _ = register(signal, Arc::clone(stop));
                // Last, so that whoever is woken finds what is to be done.
                bell.rings_at(signal);
            }
            let touching = [SIGTTIN, SIGTTOU].into_iter();
            for signal in touching.filter(|_| at_terminal) {
                // Who is continued in the background to end would be stopped once more by touching
                // the terminal, as the editor of a line does.
                let _ = register_conditional_shutdown(signal, 130, Arc::clone(&ended));
                let _ = register_conditional_default(signal, Arc::new(true.into()));
            }
        }
        signals.bell = attended;
        signals
    }

    /// Becomes true when the turn is to stop.
    pub(crate) fn stop(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// From now on something is under way.
    pub(crate) fn begin(&self) {
        self.waiting.store(false, Ordering::SeqCst);
    }

    /// The same; what stopped the turn before is forgotten, unless the talk is to end.
    pub(crate) fn begin_again(&self) {
        self.begin();
        self.forget();
    }

    /// Forgets what stopped the turn before, unless the talk is to end.
    fn forget(&self) {
        // It may not have been attended to yet.
        if let Some(bell) = &self.bell {
            bell.settle();
        }
        self.once.store(false, Ordering::SeqCst);
        self.stop.store(false, Ordering::SeqCst);
        if self.ends() {
            self.stop.store(true, Ordering::SeqCst);
        }
    }

    /// Whether the talk is to end.
    pub(crate) fn ends(&self) -> bool {
        self.end.load(Ordering::SeqCst) != 0
    }

    /// Waits for somebody to say something.
    pub(crate) fn waiting<T>(&self, wait: impl FnOnce() -> T) -> T {
        if !self.waiting.load(Ordering::SeqCst) {
            // What came until now was meant for what was under way.
            self.forget();
            self.waiting.store(true, Ordering::SeqCst);
        }
        let came = wait();
        self.begin();
        came
    }
}

/// Who attends to Ctrl-C.
struct Twice {
    /// It came once in this turn.
    once: Arc<AtomicBool>,
    /// It came, and nobody has forgotten it since.
    stop: Arc<AtomicBool>,
    /// Nothing is under way.
    waiting: Arc<AtomicBool>,
    /// The terminal as it was.
    shown: SavedTerminal,
}

impl Twice {
    /// Waits for it.
    fn attend(self) -> io::Result<SignalWaker> {
        SignalWaker::new(move || {
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

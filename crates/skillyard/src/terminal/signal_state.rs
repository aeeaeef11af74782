//! Signals that end programs, while somebody is asked or something is fetched.
//!
//! At a question they leave it, as Ctrl-C does: the program would end in the middle of it otherwise,
//! and leave a terminal behind that shows nothing of what is typed. Where nobody is asked they do
//! what they ever do, once what is [unfinished](Unfinished) is gone, but for keys that are typed into
//! an editor.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use std::{io, thread};

use nix::sys::pthread::{pthread_kill, pthread_self};
use nix::sys::signal::Signal;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGURG};
use signal_hook::flag::{register, register_conditional_default, register_usize};
use signal_hook::low_level::emulate_default_handler;
use skillyard_install::unfinished::Unfinished;

use crate::terminal::signal_waker::SignalWaker;

/// How often it is looked for a signal.
const GLANCE: Duration = Duration::from_millis(50);

/// Hears them from the first question on, or from when something is first unfinished.
#[derive(Debug, Clone, Default)]
pub(crate) struct SignalState(Arc<SharedState>);

#[derive(Debug, Default)]
struct SharedState {
    begun: OnceLock<()>,
    /// One came at a question.
    came: Arc<AtomicBool>,
    /// Nobody is asked: they end the program.
    end: Arc<AtomicBool>,
    /// The same of those that keys are: Ctrl-C, and Ctrl-\.
    key_ends: Arc<AtomicBool>,
    /// What becomes true in place of `came` where somebody else hears them.
    elsewhere: OnceLock<Arc<AtomicBool>>,
    /// What goes before they end the program.
    unfinished: Unfinished,
    /// The one that came last.
    last: Arc<AtomicUsize>,
    /// The program ends already, so that another one ends it at once.
    ending: Arc<AtomicBool>,
    /// Wakes who ends it.
    bell: OnceLock<SignalWaker>,
}

impl SignalState {
    /// From now on somebody else hears them; `came` becomes true when whoever is asked is to stop.
    pub(crate) fn elsewhere(&self, came: &Arc<AtomicBool>) {
        self.let_end(false);
        let _ = self.0.elsewhere.set(Arc::clone(came));
    }

    /// What is unfinished from now on goes before a signal ends the program. Where somebody else hears
    /// them, that is for them to see to.
    pub(crate) fn unfinished(&self) -> &Unfinished {
        self.begin();
        &self.0.unfinished
    }

    /// Lends the terminal to a program, such as an editor: what is typed there is meant for it, also
    /// Ctrl-C, which reaches us as well.
    pub(crate) fn lent<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.begin();
        self.0.key_ends.store(false, Ordering::SeqCst);
        self.0.end.store(self.is_ours(), Ordering::SeqCst);
        let done = wait();
        self.let_end_again();
        self.0.came.store(false, Ordering::SeqCst);
        done
    }

    /// Asks; a signal leaves the question.
    ///
    /// The question has a thread of its own: it can be woken while it waits for a key, and a signal
    /// that only says how large the terminal is does not reach it, which would count as Ctrl-C.
    pub(crate) fn asked<T: Send>(
        &self,
        ask: impl FnOnce() -> io::Result<T> + Send,
    ) -> io::Result<T> {
        let came = self.begin();
        let came = || came.load(Ordering::SeqCst);
        if came() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        self.let_end(false);
        let answer = thread::scope(|scope| {
            let (sender, asking) = mpsc::channel();
            let question = scope.spawn(move || {
                let _ = sender.send(pthread_self());
                let answer = ask();
                drop(sender);
                answer
            });
            if let Ok(thread) = asking.recv() {
                while asking.recv_timeout(GLANCE) == Err(RecvTimeoutError::Timeout) {
                    // It may be about to wait, so this is said again until it has ended.
                    if came() {
                        let _ = pthread_kill(thread, Signal::SIGURG);
                    }
                }
            }
            question.join().unwrap_or_else(|panic| resume_unwind(panic))
        });
        self.let_end_again();
        // Whoever ends the program wants nothing done that was just agreed to.
        if came() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        answer
    }

    /// Whether nobody else hears them.
    fn is_ours(&self) -> bool {
        self.0.elsewhere.get().is_none()
    }

    /// Whether signals end the program.
    fn let_end(&self, end: bool) {
        self.0.end.store(end, Ordering::SeqCst);
        self.0.key_ends.store(end, Ordering::SeqCst);
    }

    /// The same after they were meant for something else, where nobody else hears them.
    fn let_end_again(&self) {
        if let Some(bell) = self.0.bell.get() {
            bell.settle();
        }
        self.let_end(self.is_ours());
    }

    /// Hears them; what becomes true when one comes.
    fn begin(&self) -> &Arc<AtomicBool> {
        let SharedState {
            begun,
            came,
            elsewhere,
            ..
        } = &*self.0;
        let elsewhere = elsewhere.get();
        begun.get_or_init(|| {
            // Only a signal that is handled interrupts whoever waits; nobody else sends us this one.
            let _ = register(SIGURG, Arc::default());
            if elsewhere.is_none() {
                self.let_end(true);
                self.hear();
            }
        });
        elsewhere.unwrap_or(came)
    }

    fn hear(&self) {
        let SharedState {
            came,
            end,
            key_ends,
            last,
            ending,
            ..
        } = &*self.0;
        let state = Arc::clone(&self.0);
        let bell = SignalWaker::new(move || state.end_of_program());
        let ours = [
            (SIGINT, key_ends),
            (SIGQUIT, key_ends),
            (SIGTERM, end),
            (SIGHUP, end),
        ];
        let deaf = signals();
        for (signal, end) in ours
            .into_iter()
            .filter(|(signal, _)| !deaf.contains(signal))
        {
            // What cannot be heard ends us as ever.
            let ends_at_once = if bell.is_ok() { ending } else { end };
            let _ = register_conditional_default(signal, Arc::clone(ends_at_once));
            let _ = register(signal, Arc::clone(came));
            let _ = register_usize(signal, Arc::clone(last), signal.unsigned_abs() as usize);
            // Last, so that whoever is woken finds what is to be done.
            if let Ok(bell) = &bell {
                bell.rings_at(signal);
            }
        }
        if let Ok(bell) = bell {
            let _ = self.0.bell.set(bell);
        }
    }
}

impl SharedState {
    /// Ends the program by the signal that came, unless it is for somebody else.
    fn end_of_program(&self) {
        let signal = i32::try_from(self.last.load(Ordering::SeqCst)).unwrap_or_default();
        let ends = match signal {
            SIGINT | SIGQUIT => &self.key_ends,
            _ => &self.end,
        };
        if ends.load(Ordering::SeqCst) {
            self.ending.store(true, Ordering::SeqCst);
            // Held to the end, so that nobody complains of what goes.
            let _ended = self.unfinished.end();
            let _ = emulate_default_handler(signal);
        }
    }
}

/// Those that end programs.
const ENDING: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// Those that are ignored.
#[cfg(target_os = "linux")]
pub(crate) fn signals() -> Vec<i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    ignored(&status)
}

/// Elsewhere nobody says it: those that a terminal sends are taken for ignored where there is none.
#[cfg(not(target_os = "linux"))]
pub(crate) fn signals() -> Vec<i32> {
    use std::io::IsTerminal as _;
    if std::io::stdin().is_terminal() || std::io::stderr().is_terminal() {
        return Vec::new();
    }
    ENDING
        .into_iter()
        .filter(|signal| *signal != SIGTERM)
        .collect()
}

/// What the line `SigIgn: 0000000000000001` says, whose lowest bit is the first signal.
#[cfg(target_os = "linux")]
fn ignored(status: &str) -> Vec<i32> {
    let mut masks = status
        .lines()
        .filter_map(|line| line.strip_prefix("SigIgn:"));
    let mask = masks
        .next()
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let is_in = |signal: &i32| mask.unwrap_or_default() >> (signal - 1) & 1 == 1;
    ENDING.into_iter().filter(is_in).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod ignored_signals_tests {
    use crate::terminal::signal_state::*;

    #[test]
    fn the_mask_is_read_from_its_lowest_bit() {
        assert_eq!(ignored("Name:\tx\nSigIgn:\t0000000000000001\n"), [SIGHUP]);
        assert_eq!(ignored("SigIgn:\t0000000000001006\n"), [SIGINT, SIGQUIT]);
        assert_eq!(ignored("SigIgn:\t0000000000004000\n"), [SIGTERM]);
        assert!(ignored("SigBlk:\t0000000000000001\n").is_empty());
    }
}

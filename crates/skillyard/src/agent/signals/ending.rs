//! Sees to it that a talk ends once it is to end.

use std::fs::File;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use std::{io, thread};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Signal, getpid, kill_process};
use rustix::stdio::{dup2_stderr, dup2_stdout};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::low_level::{emulate_default_handler, exit};

use crate::terminal::SignalWaker;
use crate::terminal::keys::is_ours;

/// How often it is looked whether the talk has come to where it waits for somebody.
const GLANCE: Duration = Duration::from_millis(100);
/// After how many looks nobody is waited for any more who does not read.
const UNREAD: u32 = 10;
/// After how many the program ends whatever it does: what was said is kept by then.
const LAST: u32 = 100;

/// The terminal as it was before anybody was asked for keys.
#[derive(Debug, Clone, Default)]
pub(super) struct SavedTerminal(Option<Termios>);

impl SavedTerminal {
    /// As it is now.
    pub(super) fn now() -> Self {
        Self(tcgetattr(io::stdin()).ok())
    }

    /// Makes it so again, at once: a terminal that is stopped is not waited for.
    pub(super) fn restore(&self) {
        if let Some(before) = self.0.as_ref().filter(|_| is_ours()) {
            if hands_over_keys() {
                leave_line();
            }
            // Nothing can be done if the terminal is gone.
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
        }
    }
}

/// Ends the line that was edited, and with it that what is pasted is marked.
fn leave_line() {
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    if let Ok(terminal) = open("/dev/tty", flags, Mode::empty()) {
        let _ = rustix::io::write(&terminal, b"\x1b[?2004l\r\n");
    }
}

/// Whether the terminal hands over Ctrl-C as a key, so that no signal comes of it.
pub(super) fn hands_over_keys() -> bool {
    tcgetattr(io::stdin()).is_ok_and(|now| !now.local_modes.contains(LocalModes::ISIG))
}

/// Who attends to the end of a talk.
pub(super) struct ExitHandler {
    /// The signal by which it is to end; zero before.
    pub(super) end: Arc<AtomicUsize>,
    /// Nothing is under way.
    pub(super) waiting: Arc<AtomicBool>,
    /// The terminal as it was.
    pub(super) shown: SavedTerminal,
}

impl ExitHandler {
    /// Waits for the bell.
    pub(super) fn attend(self) -> io::Result<SignalWaker> {
        SignalWaker::new(move || self.see_to_it())
    }

    fn see_to_it(&self) {
        for look in 0..LAST {
            if self.waiting.load(Ordering::SeqCst) {
                self.shown.restore();
                let signal = self.end.load(Ordering::SeqCst);
                // It does not come back from this.
                let _ = emulate_default_handler(i32::try_from(signal).unwrap_or_default());
            }
            if look >= UNREAD && let_go_unread() {
                // What waits to be written is tried again, and goes nowhere.
                let _ = kill_process(getpid(), Signal::TERM);
            }
            thread::sleep(GLANCE);
        }
        self.shown.restore();
        exit(130)
    }
}

/// Lets what is written where nobody reads go nowhere; tells whether there was such.
fn let_go_unread() -> bool {
    let Ok(nowhere) = File::options().write(true).open("/dev/null") else {
        return false;
    };
    let stdout = is_stuck(&io::stdout()) && dup2_stdout(&nowhere).is_ok();
    let stderr = is_stuck(&io::stderr()) && dup2_stderr(&nowhere).is_ok();
    stdout || stderr
}

/// Whether nothing more can be written.
fn is_stuck(out: &impl AsFd) -> bool {
    let mut looked = [PollFd::new(out, PollFlags::OUT)];
    poll(&mut looked, Some(&Timespec::default())) == Ok(0)
}

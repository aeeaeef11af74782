//! A terminal that hands over what is typed, also Ctrl-C.

use std::io;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::getpgrp;
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp, tcsetattr,
};

/// What Ctrl-C is where it is no signal.
pub(crate) const CTRL_C: u8 = 0x03;

/// The terminal that stdin is, without signals until this is dropped.
///
/// Whoever asks takes it before the question is shown: then Ctrl-C answers the question and is no
/// signal that nobody waits for, and what was typed before the question was there is no answer.
pub(crate) struct Keys {
    before: Termios,
}

impl Keys {
    /// Without echo and lines, too.
    pub(crate) fn take() -> io::Result<Self> {
        Self::with(|bare| {
            bare.local_modes.remove(
                LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG | LocalModes::IEXTEN,
            );
        })
    }

    /// With lines that the terminal itself shows and edits. Ctrl-C ends the line and stands in it.
    pub(crate) fn lines() -> io::Result<Self> {
        Self::with(|bare| {
            bare.local_modes.remove(LocalModes::ISIG);
            bare.local_modes
                .insert(LocalModes::ECHO | LocalModes::ICANON);
            bare.special_codes[SpecialCodeIndex::VEOL] = CTRL_C;
        })
    }

    fn with(change: impl FnOnce(&mut Termios)) -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut bare = before.clone();
        change(&mut bare);
        tcsetattr(io::stdin(), OptionalActions::Flush, &bare)?;
        Ok(Self { before })
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        if is_ours() {
            // Nothing can be done if the terminal is gone.
            let _ = tcsetattr(io::stdin(), OptionalActions::Drain, &self.before);
        }
    }
}

/// Whether we are in the foreground: whoever is in the background has no terminal, and is stopped
/// for changing it.
pub(crate) fn is_ours() -> bool {
    tcgetpgrp(io::stdin()) == Ok(getpgrp())
}

/// Waits until something was typed, and reads as much of it as there is, or as fits; nothing where
/// the input ends. A signal for whoever waits ends the waiting, which reading would outlast.
pub(crate) fn typed(into: &mut [u8]) -> io::Result<usize> {
    poll(&mut [PollFd::new(&io::stdin(), PollFlags::IN)], None)?;
    Ok(rustix::io::read(io::stdin(), into)?)
}

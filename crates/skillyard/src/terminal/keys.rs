//! A terminal that hands over each key as it is typed.

use std::io;

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// The terminal that stdin is, without echo, lines and signals until this is dropped.
///
/// Whoever asks takes it before the question is shown: then Ctrl-C answers the question and is no
/// signal that nobody waits for, and what was typed before the question was there is no answer.
pub(crate) struct Keys {
    before: Termios,
}

impl Keys {
    pub(crate) fn take() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut bare = before.clone();
        bare.local_modes
            .remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG | LocalModes::IEXTEN);
        tcsetattr(io::stdin(), OptionalActions::Flush, &bare)?;
        Ok(Self { before })
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        // Nothing can be done if the terminal is gone.
        let _ = tcsetattr(io::stdin(), OptionalActions::Drain, &self.before);
    }
}

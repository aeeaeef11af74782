//! Data for programs and pipes, on stdout.

use std::fs::File;
use std::io::{self, IsTerminal as _, Write as _};
use std::os::fd::AsFd as _;
use std::sync::atomic::Ordering;

use anstream::AutoStream;
use serde::Serialize;

use super::Printer;
use crate::text::json;
use crate::text::sanitize::{Foreign, visible};

#[expect(
    clippy::unused_self,
    reason = "who writes needs the printer, also where it has nothing to decide"
)]
impl Printer {
    /// Writes data.
    pub(crate) fn data(&self, text: &str) -> io::Result<()> {
        let text = &*self.redactor.scrub(text);
        if !text.contains('\x1b') {
            return self.raw(text.as_bytes());
        }
        let choice = self.resolved(io::stdout().is_terminal());
        let mut out = AutoStream::new(io::stdout().lock(), choice);
        self.passed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
    }

    /// Writes the words of another, in which nothing is a style of ours.
    pub(crate) fn words(&self, text: &str) -> io::Result<()> {
        self.raw(self.redactor.scrub(text).as_bytes())
    }

    /// Writes data byte for byte, whatever it holds.
    pub(crate) fn raw(&self, bytes: &[u8]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        self.passed(out.write_all(bytes).and_then(|()| out.flush()))
    }

    /// Writes the text of a stranger: as it is into a pipe, harmless onto a terminal.
    pub(crate) fn untrusted(&self, text: &str) -> io::Result<()> {
        if self.is_terminal() {
            self.raw(visible(text).as_bytes())
        } else {
            self.raw(text.as_bytes())
        }
    }

    /// Where the output of a program of strangers goes: as it is into a pipe, harmless onto a
    /// terminal.
    pub(crate) fn foreign_stdout(&self) -> Foreign<io::Stdout> {
        Foreign::new(io::stdout(), io::stdout().is_terminal())
    }

    /// The same for its messages.
    pub(crate) fn foreign_stderr(&self) -> Foreign<io::Stderr> {
        Foreign::new(io::stderr(), io::stderr().is_terminal())
    }

    /// Writes a value as JSON.
    pub(crate) fn json(&self, value: &impl Serialize) -> io::Result<()> {
        self.write_json(|out| json::write_pretty(out, value))
    }

    /// Writes a value as JSON on one line, for answers that can be very long.
    pub(crate) fn compact_json(&self, value: &impl Serialize) -> io::Result<()> {
        self.write_json(|out| json::write_compact(out, value))
    }

    fn write_json(&self, write: impl Fn(&mut dyn io::Write) -> io::Result<()>) -> io::Result<()> {
        self.passed(self.try_write_json(write))
    }

    fn try_write_json(
        &self,
        write: impl Fn(&mut dyn io::Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
        if self.redactor.is_idle() {
            write(&mut out)?;
        } else {
            // A secret may be written in pieces, so it is looked for in the whole.
            let mut bytes = Vec::new();
            write(&mut bytes)?;
            let text = String::from_utf8_lossy(&bytes);
            out.write_all(self.redactor.scrub_json(&text).as_bytes())?;
        }
        out.write_all(b"\n")?;
        out.flush()
    }

    /// The way out for data that is too long to be put together first, in large pieces.
    ///
    /// Standard output itself looks for line breaks in all it is given.
    pub(crate) fn pieces(&self) -> io::Result<impl io::Write> {
        let out = io::stdout().lock().as_fd().try_clone_to_owned()?;
        Ok(File::from(out))
    }

    /// A reader that went away has read enough, which is no failure: what the command finds and
    /// does is the same, and its status says so.
    fn passed(&self, written: io::Result<()>) -> io::Result<()> {
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.unread.store(true, Ordering::Relaxed);
                Ok(())
            }
            other => other,
        }
    }
}

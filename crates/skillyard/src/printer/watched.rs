//! A way out that remembers what went wrong on it.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// A writer that remembers its first failure, for who passes it to somebody that goes on without it.
#[derive(Debug)]
pub(crate) struct Watched<'a, W> {
    inner: W,
    failure: Option<io::Error>,
    stop: Option<&'a AtomicBool>,
}

impl<'a, W> Watched<'a, W> {
    /// Watches over a writer.
    pub(crate) fn new(inner: W) -> Self {
        Self {
            inner,
            failure: None,
            stop: None,
        }
    }

    /// The same, and stops whoever writes when the reader goes away, as a shell would, or when
    /// nothing more can be written, as on a full disk.
    pub(crate) fn stopping(inner: W, stop: &'a AtomicBool) -> Self {
        Self {
            stop: Some(stop),
            ..Self::new(inner)
        }
    }

    /// Whether the reader went away.
    pub(crate) fn is_unread(&self) -> bool {
        let gone = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
        self.failure.as_ref().is_some_and(gone)
    }

    /// What went wrong first. A reader that went away has read enough, which is no failure.
    pub(crate) fn failure(self) -> Option<io::Error> {
        let is_failure = |error: &io::Error| error.kind() != io::ErrorKind::BrokenPipe;
        self.failure.filter(is_failure)
    }

    fn noted<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| {
            let kind = error.kind();
            self.failure.get_or_insert(error);
            if let Some(stop) = self.stop.filter(|_| kind != io::ErrorKind::Interrupted) {
                stop.store(true, Ordering::SeqCst);
            }
            kind.into()
        })
    }
}

impl<W: io::Write> io::Write for Watched<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes);
        self.noted(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.inner.flush();
        self.noted(flushed)
    }
}

//! A way out that remembers what went wrong on it.

use std::io;

/// A writer that remembers its first failure, for who passes it to somebody that goes on without it.
#[derive(Debug)]
pub(crate) struct Watched<W> {
    inner: W,
    failure: Option<io::Error>,
}

impl<W> Watched<W> {
    /// Watches over a writer.
    pub(crate) fn new(inner: W) -> Self {
        Self {
            inner,
            failure: None,
        }
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
            kind.into()
        })
    }
}

impl<W: io::Write> io::Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes);
        self.noted(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.inner.flush();
        self.noted(flushed)
    }
}

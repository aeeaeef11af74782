//! The pipes of a running program: its input, and its output as far as it is kept.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read as _, Write};
use std::os::fd::OwnedFd;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use sha2::{Digest as _, Sha256};

use crate::outcome::Captured;

/// The most that is read after the end, should somebody still be writing.
const LEFT_OVER: u64 = 16 * 1024 * 1024;

/// The end of a pipe to a program, and what it is to read.
pub(crate) type Feed = Option<(OwnedFd, Vec<u8>)>;

/// One of the program's outputs.
pub(super) struct Stream<'a> {
    pub(super) file: File,
    pub(super) capture: Capture<'a>,
    pub(super) open: bool,
    buffer: Vec<u8>,
}

impl<'a> Stream<'a> {
    pub(super) fn new(
        pipe: &OwnedFd,
        limit: u64,
        live: Option<&'a mut dyn io::Write>,
    ) -> io::Result<Self> {
        let file = File::from(pipe.try_clone()?);
        unblock(&file)?;
        Ok(Self {
            file,
            capture: Capture::new(limit, live),
            open: true,
            buffer: vec![0; 64 * 1024],
        })
    }

    /// Reads once, and tells whether there may be more right now.
    pub(super) fn read(&mut self) -> bool {
        match self.file.read(&mut self.buffer) {
            Ok(0) => self.open = false,
            Ok(count) => {
                self.capture.add(&self.buffer[..count]);
                return true;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return true,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => self.open = false,
        }
        false
    }

    /// Takes what lies in the pipe still.
    pub(super) fn drain(&mut self) {
        let start = self.capture.total();
        while self.open && self.read() && self.capture.total() - start < LEFT_OVER {}
    }
}

/// The program's input.
pub(super) struct Input {
    pub(super) pipe: Option<(OwnedFd, io::Cursor<Vec<u8>>)>,
}

impl Input {
    pub(super) fn new(stdin: Feed) -> io::Result<Self> {
        if let Some((pipe, _)) = &stdin {
            unblock(pipe)?;
        }
        Ok(Self {
            pipe: stdin.map(|(pipe, bytes)| (pipe, io::Cursor::new(bytes))),
        })
    }

    /// Writes once; at the end, or when nobody reads, the pipe is closed.
    pub(super) fn write(&mut self) {
        let Some((pipe, bytes)) = &mut self.pipe else {
            return;
        };
        let place = usize::try_from(bytes.position()).unwrap_or(usize::MAX);
        let rest = bytes.get_ref().get(place..).unwrap_or_default();
        let written = if rest.is_empty() {
            Ok(0)
        } else {
            rustix::io::write(&*pipe, rest)
        };
        match written {
            Ok(0) => self.pipe = None,
            Ok(count) => bytes.set_position((place + count) as u64),
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
            Err(_) => self.pipe = None,
        }
    }
}

fn unblock(descriptor: &impl std::os::fd::AsFd) -> io::Result<()> {
    let flags = fcntl_getfl(descriptor)?;
    fcntl_setfl(descriptor, flags | OFlags::NONBLOCK)?;
    Ok(())
}

/// Takes output in, and keeps as much of it as the limit says.
pub(crate) struct Capture<'a> {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_limit: usize,
    tail_limit: usize,
    total: u64,
    digest: Sha256,
    live: Option<&'a mut dyn Write>,
}

impl<'a> Capture<'a> {
    /// Three quarters of the limit are for the beginning: that is where programs say what
    /// they do, and the end is where they say how it went.
    pub(crate) fn new(limit: u64, live: Option<&'a mut dyn Write>) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let tail_limit = limit / 4;
        Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            head_limit: limit - tail_limit,
            tail_limit,
            total: 0,
            digest: Sha256::new(),
            live,
        }
    }

    pub(crate) fn add(&mut self, piece: &[u8]) {
        self.total += piece.len() as u64;
        self.digest.update(piece);
        let room = self.head_limit - self.head.len();
        let (head, rest) = piece.split_at(room.min(piece.len()));
        self.head.extend_from_slice(head);
        self.show(head);
        let rest = &rest[rest.len().saturating_sub(self.tail_limit)..];
        let over = (self.tail.len() + rest.len()).saturating_sub(self.tail_limit);
        self.tail.drain(..over);
        self.tail.extend(rest);
    }

    /// Shows something to the live reader, while there is one.
    fn show(&mut self, piece: &[u8]) {
        if let Some(live) = &mut self.live
            && !piece.is_empty()
        {
            // A reader that went away is no reason to stop the program.
            if live.write_all(piece).and_then(|()| live.flush()).is_err() {
                self.live = None;
            }
        }
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    pub(crate) fn is_over(&self) -> bool {
        self.total > (self.head_limit + self.tail_limit) as u64
    }

    pub(crate) fn finish(mut self) -> Captured {
        let end: Vec<u8> = std::mem::take(&mut self.tail).into();
        let mut captured = Captured {
            head: std::mem::take(&mut self.head),
            tail: Vec::new(),
            total: self.total,
            sha256: std::mem::take(&mut self.digest).finalize().into(),
        };
        if self.is_over() {
            captured.tail.clone_from(&end);
            self.show(captured.gap().as_bytes());
        } else {
            captured.head.extend(&end);
        }
        // The live reader got the beginning as it came, and gets the end now.
        self.show(&end);
        captured
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(limit: u64, pieces: &[&[u8]]) -> Captured {
        let mut capture = Capture::new(limit, None);
        for piece in pieces {
            capture.add(piece);
        }
        capture.finish()
    }

    #[test]
    fn what_fits_is_whole() {
        let all = captured(8, &[b"abc", b"", b"defgh"]);
        assert_eq!((all.head.as_slice(), all.omitted()), (&b"abcdefgh"[..], 0));
        assert_eq!(all.text(), "abcdefgh");
    }

    #[test]
    fn the_beginning_and_the_end_are_kept() {
        for pieces in [&[&b"abcdefghijklm"[..]][..], &[b"abc", b"defghijkl", b"m"]] {
            let cut = captured(8, pieces);
            assert_eq!(cut.text(), "abcdef\n[… 5 bytes left out …]\nlm");
            assert_eq!(cut.total, 13);
            assert_eq!(
                cut.sha256,
                <[u8; 32]>::from(Sha256::digest(b"abcdefghijklm"))
            );
        }
    }

    #[test]
    fn the_live_reader_gets_what_is_kept() {
        for pieces in [&[&b"abc"[..]][..], &[b"abc", b"defg"], &[b"abcdefgh"]] {
            let mut seen = Vec::new();
            let mut capture = Capture::new(4, Some(&mut seen));
            for piece in pieces {
                capture.add(piece);
            }
            let kept = capture.finish().text();
            assert_eq!(String::from_utf8(seen).unwrap(), kept);
        }
        let mut seen = Vec::new();
        let mut capture = Capture::new(8, Some(&mut seen));
        capture.add(b"while it runs");
        drop(capture);
        assert_eq!(seen, b"while ");
    }

    #[test]
    fn bytes_that_are_no_text_are_marked() {
        assert_eq!(captured(8, &[b"a\xffb"]).text(), "a\u{fffd}b");
    }
}

//! Keeping output that may be without end: the beginning, the end, and a digest of all.

use std::collections::VecDeque;
use std::io::Write;

use sha2::{Digest as _, Sha256};

use crate::outcome::Captured;

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

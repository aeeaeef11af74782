//! A line that is typed and not shown.
//!
//! Keys are read one by one, so that Ctrl-C ends the question and never leaves a terminal behind
//! that shows nothing.

use std::io::{self, Write as _};

use zeroize::{Zeroize as _, Zeroizing};

use crate::printer::Printer;
use crate::redactor::secret::Secret;
use crate::terminal::keys::{CTRL_C, Keys, typed};

/// Longest line that is read.
const MAX_SECRET_BYTES: usize = 1024;

/// Asks on stderr and reads from the terminal that stdin is.
pub(crate) fn ask(printer: &Printer, question: &str) -> io::Result<Secret> {
    printer.heard().asked(|| {
        let keys = Keys::take()?;
        let mut err = io::stderr().lock();
        err.write_all(question.as_bytes())?;
        err.flush()?;
        let line = read(key);
        drop(keys);
        err.write_all(b"\n")?;
        line
    })
}

/// The next key, and none where the input ends; the others wait in the terminal and nowhere else.
fn key() -> io::Result<Option<u8>> {
    let mut key = Zeroizing::new([0]);
    let count = typed(&mut *key)?;
    Ok((count > 0).then_some(key[0]))
}

/// Reads keys until the line ends.
fn read(mut next: impl FnMut() -> io::Result<Option<u8>>) -> io::Result<Secret> {
    let mut line = Zeroizing::new(Vec::with_capacity(MAX_SECRET_BYTES));
    loop {
        match next()? {
            // Half a secret is none.
            None => return Err(io::ErrorKind::UnexpectedEof.into()),
            Some(b'\r' | b'\n') => break,
            // Ctrl-C, and Ctrl-D on an empty line.
            Some(CTRL_C) => return Err(io::ErrorKind::Interrupted.into()),
            Some(0x04) if line.is_empty() => return Err(io::ErrorKind::UnexpectedEof.into()),
            // Backspace takes back a character, which may be several bytes.
            Some(0x08 | 0x7f) => {
                while let Some(byte) = line.pop() {
                    if byte & 0xc0 != 0x80 {
                        break;
                    }
                }
            }
            // Ctrl-U takes back everything.
            Some(0x15) => line.zeroize(),
            Some(byte) if line.len() < MAX_SECRET_BYTES => line.push(byte),
            Some(_) => return Err(io::Error::other("the line is too long")),
        }
    }
    match str::from_utf8(&line) {
        Ok(text) => Ok(Secret::new(text)),
        Err(_) => Err(io::Error::other("the line is not UTF-8")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(keys: &[u8]) -> io::Result<String> {
        let mut keys = keys.iter().copied();
        read(|| Ok(keys.next())).map(|secret| secret.expose().to_owned())
    }

    #[test]
    fn keys_make_a_line() {
        assert_eq!(line(b"hunter2\nrest").unwrap(), "hunter2");
        assert_eq!(line("gr\u{fc}\x7f\x7fun\r".as_bytes()).unwrap(), "gun");
        assert_eq!(line(b"wrong\x15right\n").unwrap(), "right");
        assert_eq!(line(b"\n").unwrap(), "");
    }

    #[test]
    fn a_question_can_be_left() {
        assert_eq!(
            line(b"abc\x03").unwrap_err().kind(),
            io::ErrorKind::Interrupted
        );
        assert_eq!(
            line(b"\x04").unwrap_err().kind(),
            io::ErrorKind::UnexpectedEof
        );
        assert_eq!(
            line(b"abc").unwrap_err().kind(),
            io::ErrorKind::UnexpectedEof
        );
        assert!(line(&[b'x'; MAX_SECRET_BYTES + 1]).is_err());
        assert!(line(&[0xff, b'\n']).is_err());
    }
}

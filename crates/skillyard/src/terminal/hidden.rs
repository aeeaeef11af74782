//! A line that is typed and not shown.
//!
//! Keys are read one by one, so that Ctrl-C ends the question and never leaves a terminal behind
//! that shows nothing.

use std::io::{self, Read as _, Write as _};

use zeroize::{Zeroize as _, Zeroizing};

use super::keys::{CTRL_C, Keys};
use crate::secret::Secret;

/// Longest line that is read.
const LONGEST: usize = 1024;

/// Asks on stderr and reads from the terminal that stdin is.
pub(crate) fn ask(question: &str) -> io::Result<Secret> {
    let keys = Keys::take()?;
    let mut err = io::stderr().lock();
    err.write_all(question.as_bytes())?;
    err.flush()?;
    let line = read(&mut io::stdin().lock());
    drop(keys);
    err.write_all(b"\n")?;
    line
}

/// Reads keys until the line ends.
fn read(keys: &mut impl io::BufRead) -> io::Result<Secret> {
    let mut line = Zeroizing::new(Vec::with_capacity(LONGEST));
    for key in keys.bytes() {
        match key? {
            b'\r' | b'\n' => break,
            // Ctrl-C, and Ctrl-D on an empty line.
            CTRL_C => return Err(io::ErrorKind::Interrupted.into()),
            0x04 if line.is_empty() => return Err(io::ErrorKind::UnexpectedEof.into()),
            // Backspace takes back a character, which may be several bytes.
            0x08 | 0x7f => {
                while let Some(byte) = line.pop() {
                    if byte & 0xc0 != 0x80 {
                        break;
                    }
                }
            }
            // Ctrl-U takes back everything.
            0x15 => line.zeroize(),
            byte if line.len() < LONGEST => line.push(byte),
            _ => return Err(io::Error::other("the line is too long")),
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

    fn typed(keys: &[u8]) -> io::Result<String> {
        read(&mut &*keys).map(|secret| secret.expose().to_owned())
    }

    #[test]
    fn keys_make_a_line() {
        assert_eq!(typed(b"hunter2\nrest").unwrap(), "hunter2");
        assert_eq!(typed("gr\u{fc}\x7f\x7fun\r".as_bytes()).unwrap(), "gun");
        assert_eq!(typed(b"wrong\x15right\n").unwrap(), "right");
        assert_eq!(typed(b"\n").unwrap(), "");
    }

    #[test]
    fn a_question_can_be_left() {
        assert_eq!(
            typed(b"abc\x03").unwrap_err().kind(),
            io::ErrorKind::Interrupted
        );
        assert_eq!(
            typed(b"\x04").unwrap_err().kind(),
            io::ErrorKind::UnexpectedEof
        );
        assert!(typed(&[b'x'; LONGEST + 1]).is_err());
        assert!(typed(&[0xff, b'\n']).is_err());
    }
}

//! A question as a plain line, for terminals that cannot move the cursor and people who want no
//! styles: nothing but text is written, and the terminal itself edits what is typed.

use std::io::{self, Read as _};

use rustix::event::{PollFd, PollFlags, poll};

use crate::printer::Printer;
use crate::terminal::keys::CTRL_C;

/// Longest answer that is read; a terminal gives no longer line.
const LONGEST: usize = 1 << 13;

/// Asks whoever has the keys of the terminal, and reads what is typed until Enter.
pub(super) fn line(printer: &Printer, question: &str) -> io::Result<String> {
    printer.people_lines(&format!("{question}: "));
    let line = there().and_then(|()| read(io::stdin().lock().bytes()));
    if line.is_err() {
        printer.people_lines("\n");
    }
    line
}

/// Waits until a line was typed; a signal for whoever waits leaves the question, which reading
/// would outlast.
fn there() -> io::Result<()> {
    poll(&mut [PollFd::new(&io::stdin(), PollFlags::IN)], None)?;
    Ok(())
}

/// Reads until the line ends; Ctrl-C and Ctrl-D leave the question.
fn read(bytes: impl Iterator<Item = io::Result<u8>>) -> io::Result<String> {
    let mut line = Vec::new();
    for byte in bytes {
        match byte? {
            b'\r' | b'\n' => return Ok(String::from_utf8_lossy(&line).trim().to_owned()),
            CTRL_C => return Err(io::ErrorKind::Interrupted.into()),
            byte if line.len() < LONGEST => line.push(byte),
            _ => return Err(io::Error::other("the line is too long")),
        }
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_with_enter_and_the_question_with_ctrl_c_or_the_end() {
        let typed = |keys: &[u8]| read(keys.iter().map(|key| Ok(*key)));
        assert_eq!(typed(b" yes \nrest").unwrap(), "yes");
        assert_eq!(typed(b"\n").unwrap(), "");
        let kind = |keys| typed(keys).unwrap_err().kind();
        assert_eq!(kind(b"ye\x03"), io::ErrorKind::Interrupted);
        assert_eq!(kind(b"ye"), io::ErrorKind::UnexpectedEof);
        assert!(typed(&[b'x'; LONGEST + 1]).is_err());
    }
}

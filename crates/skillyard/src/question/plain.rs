//! A question as a plain line, for terminals that cannot move the cursor and people who want no
//! styles: nothing but text is written, and the terminal itself edits what is typed.

use std::io;

use crate::printer::Printer;
use crate::terminal::keys::{CTRL_C, typed};

/// Longest answer that is read; a terminal gives no line that is longer.
const LONGEST: usize = 1 << 13;

/// Asks whoever has the keys of the terminal, and reads what is typed until Enter.
pub(super) fn line(printer: &Printer, question: &str) -> io::Result<String> {
    printer.people_lines(&format!("{question}: "));
    let mut keys = [0; LONGEST];
    let line = typed(&mut keys).and_then(|count| said(&keys[..count]));
    if line.is_err() {
        printer.people_lines("\n");
    }
    line
}

/// What a line of the terminal says; Ctrl-C and Ctrl-D leave the question. A terminal hands over a
/// line as a whole: one without an end was left with Ctrl-D.
fn said(line: &[u8]) -> io::Result<String> {
    match line {
        [said @ .., b'\r' | b'\n'] => Ok(String::from_utf8_lossy(said).trim().to_owned()),
        [.., CTRL_C] => Err(io::ErrorKind::Interrupted.into()),
        _ if line.len() == LONGEST => Err(io::Error::other("the line is too long")),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_with_enter_and_the_question_with_ctrl_c_or_the_end() {
        assert_eq!(said(b" yes \n").unwrap(), "yes");
        assert_eq!(said(b"\n").unwrap(), "");
        let kind = |line: &[u8]| said(line).unwrap_err().kind();
        assert_eq!(kind(b"ye\x03"), io::ErrorKind::Interrupted);
        assert_eq!(kind(b"ye"), io::ErrorKind::UnexpectedEof);
        assert_eq!(kind(b""), io::ErrorKind::UnexpectedEof);
        assert_eq!(kind(&[b'x'; LONGEST]), io::ErrorKind::Other);
    }
}

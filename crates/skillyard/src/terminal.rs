//! The terminal: lines that are edited, Markdown that is shown as it comes and a card for every
//! call in `chat`, what differs between two texts, lines that are not shown for passphrases, and
//! the signals at questions.

mod card;
pub(crate) mod keys;
mod line;
mod markdown;
pub(crate) mod signal_state;
pub(crate) mod signal_waker;
mod wrap;

use std::fmt::Write as _;

use crate::text::counted;
use crate::text::sanitize::visible;

use anstyle::{AnsiColor, Style};
use skillyard_format::difference::{DiffLine, Difference};
use unicode_width::UnicodeWidthChar as _;

pub(crate) use crate::terminal::line::InputLine;
pub(crate) use crate::terminal::signal_state::SignalState;
pub(crate) use crate::terminal::signal_waker::SignalWaker;
pub(crate) use card::{Ended, call, result, row};
pub(crate) use line::{Lines, MAX_LINE_BYTES};
pub(crate) use markdown::Markdown;

/// How far apart the stops of tabs are.
const TAB: usize = 8;

/// A line in pieces that fit into so many columns; tabs are filled up with blanks, because a terminal
/// goes on from the stop that it finds.
pub(crate) fn pieces(line: &str, room: usize) -> Vec<String> {
    let room = room.max(1);
    let mut pieces = vec![String::new()];
    let mut column = 0;
    let mut put = |letter: char, width: usize| {
        if column + width > room && column > 0 {
            pieces.push(String::new());
            column = 0;
        }
        column += width;
        if let Some(piece) = pieces.last_mut() {
            piece.push(letter);
        }
        column
    };
    let mut reached = 0;
    for letter in line.chars() {
        if letter == '\t' {
            for _ in 0..TAB - reached % TAB {
                reached = put(' ', 1);
            }
        } else {
            reached = put(letter, letter.width().unwrap_or(0));
        }
    }
    pieces
}

/// How many columns a line takes.
pub(crate) fn columns(line: &str) -> usize {
    let filled = pieces(line, usize::MAX);
    let letters = filled.iter().flat_map(|piece| piece.chars());
    letters.map(|letter| letter.width().unwrap_or(0)).sum()
}

const GONE: Style = AnsiColor::Red.on_default();
const NEW: Style = AnsiColor::Green.on_default();
const PLACE: Style = AnsiColor::Cyan.on_default();

/// What stands in front of what does not fit into a line any more.
const GOES_ON: &str = "| ";

/// The lines of a difference in so many columns, each after `indent`; the printer takes colours out
/// where there are to be none. No line of the texts begins where ours do.
pub(crate) fn painted(difference: &Difference, indent: &str, width: usize) -> String {
    let room = width.saturating_sub(indent.len() + GOES_ON.len());
    let mut text = String::new();
    for line in &difference.lines {
        let style = match line {
            DiffLine::Place(_) => PLACE,
            DiffLine::Gone(..) => GONE,
            DiffLine::New(..) => NEW,
            DiffLine::Same(..) => Style::new(),
        };
        let line = line.to_string();
        for (at, piece) in pieces(&visible(&line), room).iter().enumerate() {
            let mark = if at == 0 { "" } else { GOES_ON };
            let _ = writeln!(text, "{indent}{style}{mark}{piece}{style:#}");
        }
    }
    if difference.hidden > 0 {
        let _ = writeln!(
            text,
            "{indent}… and {}",
            counted(difference.hidden, "more changed line")
        );
    }
    text
}

#[cfg(test)]
mod pieces_tests {
    use super::*;

    #[test]
    fn no_piece_is_longer_than_its_line() {
        assert_eq!(pieces("abcdef", 4), ["abcd", "ef"]);
        assert_eq!(pieces("", 4), [""]);
        assert_eq!(pieces("日本語", 4), ["日本", "語"]);
        assert_eq!(pieces("日本", 1), ["日", "本"]);
        assert_eq!(pieces("a\tb", 80), ["a       b"]);
        assert_eq!(pieces("a\t\tb", 10), ["a         ", "      b"]);
        assert_eq!((columns("a\tb"), columns("日本\t")), (9, 8));
        let forged = format!("ls -la{}   why     harmless", "\t".repeat(12));
        assert!(pieces(&forged, 75).iter().all(|piece| columns(piece) <= 75));
    }
}

#[cfg(test)]
mod difference_tests {
    use skillyard_format::difference::DiffLimits;

    use super::*;

    #[test]
    fn what_a_stranger_wrote_moves_no_cursor() {
        let difference = Difference::between("a\n", "\u{1b}[2J\u{202e}b\n", DiffLimits::telling(9));
        let told = painted(&difference, "  ", 80);
        assert!(told.contains("+\\u{1b}[2J\\u{202e}b"), "{told}");
        assert!(told.contains("\u{1b}[31m-a\u{1b}[0m"), "{told}");
    }

    #[test]
    fn what_does_not_fit_has_a_mark() {
        let forged = format!("x = 1{}  why     it only sets x\n", " ".repeat(74));
        let difference = Difference::between("", &forged, DiffLimits::telling(9));
        let told = anstream::adapter::strip_str(&painted(&difference, "  ", 80)).to_string();
        let mut lines = told.lines().filter(|line| line.contains("why"));
        assert!(lines.all(|line| line.starts_with("  | ")), "{told}");
    }
}

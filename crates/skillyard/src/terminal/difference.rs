//! A difference between two texts, in colours and harmless.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use skillyard_format::difference::{DiffLine, Difference};

use super::pieces::pieces;
use crate::report::counted;
use crate::sanitize::visible;

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
mod tests {
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

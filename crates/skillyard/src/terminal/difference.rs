//! A difference between two texts, in colours and harmless.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use skillyard_format::difference::{Difference, Line};

use crate::sanitize::visible;

const GONE: Style = AnsiColor::Red.on_default();
const NEW: Style = AnsiColor::Green.on_default();
const PLACE: Style = AnsiColor::Cyan.on_default();

/// The lines of a difference, each after `indent`; the printer takes colours out where there are
/// to be none.
pub(crate) fn painted(difference: &Difference, indent: &str) -> String {
    let mut text = String::new();
    for line in &difference.lines {
        let style = match line {
            Line::Place(_) => PLACE,
            Line::Gone(..) => GONE,
            Line::New(..) => NEW,
            Line::Same(..) => Style::new(),
        };
        let line = line.to_string();
        let _ = writeln!(text, "{indent}{style}{}{style:#}", visible(&line));
    }
    if difference.hidden > 0 {
        let _ = writeln!(
            text,
            "{indent}… and {} more changed lines",
            difference.hidden
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use skillyard_format::difference::Limits;

    use super::*;

    #[test]
    fn what_a_stranger_wrote_moves_no_cursor() {
        let difference = Difference::between("a\n", "\u{1b}[2J\u{202e}b\n", Limits::telling(9));
        let told = painted(&difference, "  ");
        assert!(told.contains("+\\u{1b}[2J\\u{202e}b"), "{told}");
        assert!(told.contains("\u{1b}[31m-a\u{1b}[0m"), "{told}");
    }
}

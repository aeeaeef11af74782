//! Lines of strangers, cut where a terminal would break them, so that each piece can have a mark in
//! front.

use unicode_width::UnicodeWidthChar as _;

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

#[cfg(test)]
mod tests {
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

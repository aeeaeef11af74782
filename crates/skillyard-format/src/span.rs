//! Byte ranges in a file, and lines and columns made from them.

use serde::Serialize;

/// A range of bytes in a file's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The range `start..end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// An empty range at `at`.
    pub const fn at(at: usize) -> Self {
        Self { start: at, end: at }
    }

    /// The text this range covers, or the empty string when it is out of bounds.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// A position as people count it, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl Position {
    /// The position of byte `offset` of `text`, where `\n`, `\r\n` and `\r` end a line.
    pub fn of(text: &str, offset: usize) -> Self {
        let mut line = 1;
        let mut start = 0;
        for each in Lines::new(text) {
            if each.start > offset {
                break;
            }
            start = each.start;
            line = each.number;
        }
        let column = text
            .get(start..offset.min(text.len()))
            .map_or(1, |before| before.chars().count() + 1);
        Self { line, column }
    }
}

/// One line of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its number, from 1.
    pub number: usize,
    /// Its first byte.
    pub start: usize,
    /// One past its last byte, line break left out.
    pub end: usize,
    /// The first byte of the next line.
    pub next: usize,
    /// Its text, line break left out.
    pub text: &'a str,
}

/// The lines of a text; `\n`, `\r\n` and `\r` end one.
#[derive(Debug, Clone)]
pub struct Lines<'a> {
    text: &'a str,
    at: usize,
    number: usize,
}

impl<'a> Lines<'a> {
    /// The lines of `text`.
    pub fn new(text: &'a str) -> Self {
        Self::from(text, 0)
    }

    /// The lines of `text` from byte `at` on, which must be the start of a line.
    pub fn from(text: &'a str, at: usize) -> Self {
        Self {
            text,
            at,
            number: 0,
        }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let rest = self.text.get(self.at..)?;
        if rest.is_empty() {
            return None;
        }
        let length = memchr::memchr2(b'\n', b'\r', rest.as_bytes()).unwrap_or(rest.len());
        let line_break = match &rest.as_bytes()[length..] {
            [b'\r', b'\n', ..] => 2,
            [] => 0,
            _ => 1,
        };
        let start = self.at;
        self.at += length + line_break;
        self.number += 1;
        Some(Line {
            number: self.number,
            start,
            end: start + length,
            next: self.at,
            text: &rest[..length],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_each_kind_of_break() {
        let lines: Vec<_> = Lines::new("a\nb\r\nc\rd").map(|line| line.text).collect();
        assert_eq!(lines, ["a", "b", "c", "d"]);
    }

    #[test]
    fn positions_count_characters() {
        let at = "é\nü = x".find('x').unwrap();
        assert_eq!(
            Position::of("é\nü = x", at),
            Position { line: 2, column: 5 }
        );
    }

    #[test]
    fn a_position_past_the_end_is_the_end() {
        assert_eq!(Position::of("ab\n", 99), Position { line: 1, column: 4 });
    }
}

//! Byte ranges in a file, and lines and columns made from them.

use serde::{Deserialize, Serialize};

/// A range of bytes in a file's text.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
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
    ///
    /// This reads the text up to there; who has many questions about one text builds a
    /// [`LineIndex`].
    pub fn of(text: &str, offset: usize) -> Self {
        let offset = text.floor_char_boundary(offset);
        let lines = Lines::new(text).take_while(|line| line.start <= offset);
        let (line, start) = lines
            .last()
            .map_or((1, 0), |line| (line.number, line.start));
        Self {
            line,
            column: text[start..offset].chars().count() + 1,
        }
    }
}

/// The lines of a text, built once and asked often: a hostile file can have a finding for
/// every few bytes, on lines of their own or all on one.
#[derive(Debug, Clone)]
pub struct LineIndex<'a> {
    text: &'a str,
    /// The first byte of each line.
    starts: Vec<usize>,
    /// How many characters stand before each block of [`BLOCK`] bytes.
    characters: Vec<usize>,
}

/// Bytes between two counts of characters.
const BLOCK: usize = 512;

impl<'a> LineIndex<'a> {
    /// Reads the text once.
    pub fn new(text: &'a str) -> Self {
        let mut count = 0;
        let mut characters = vec![0];
        for block in text.as_bytes().chunks(BLOCK) {
            count += characters_in(block);
            characters.push(count);
        }
        Self {
            text,
            starts: Lines::new(text).map(|line| line.start).collect(),
            characters,
        }
    }

    /// The position of byte `offset`; past the end it is the end.
    pub fn position(&self, offset: usize) -> Position {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.line_at(offset);
        let start = self.starts.get(line).copied().unwrap_or(0);
        Position {
            line: line + 1,
            column: self.characters_before(offset) - self.characters_before(start) + 1,
        }
    }

    /// The line that byte `offset` stands on; past the end it is the last.
    pub fn line(&self, offset: usize) -> Line<'a> {
        let line = self.line_at(offset);
        let start = self.starts.get(line).copied().unwrap_or(0);
        let next = self
            .starts
            .get(line + 1)
            .copied()
            .unwrap_or(self.text.len());
        let whole = &self.text[start..next];
        let text = whole
            .strip_suffix("\r\n")
            .or_else(|| whole.strip_suffix(['\n', '\r']))
            .unwrap_or(whole);
        Line {
            number: line + 1,
            start,
            end: start + text.len(),
            next,
            text,
        }
    }

    /// The line's place in `starts`.
    fn line_at(&self, offset: usize) -> usize {
        let behind = self.starts.partition_point(|start| *start <= offset);
        behind.saturating_sub(1)
    }

    fn characters_before(&self, offset: usize) -> usize {
        let block = offset / BLOCK;
        self.characters[block] + characters_in(&self.text.as_bytes()[block * BLOCK..offset])
    }
}

/// How many characters begin in these bytes of UTF-8.
fn characters_in(bytes: &[u8]) -> usize {
    let continues = |byte: u8| byte & 0b1100_0000 == 0b1000_0000;
    bytes.iter().filter(|byte| !continues(**byte)).count()
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
    fn an_index_knows_every_line_and_column() {
        let texts = [
            String::new(),
            "\n".into(),
            "a\r\r\nb\n\nc".into(),
            "é\u{1f600}x\r\nü\r".into(),
            "é,".repeat(3 * BLOCK) + "\n" + &"x\u{1f600}".repeat(BLOCK),
        ];
        for text in &texts {
            let index = LineIndex::new(text);
            let (mut position, mut before) = (Position { line: 1, column: 1 }, ' ');
            for (offset, c) in text.char_indices() {
                let ended = before == '\n' || (before == '\r' && c != '\n');
                if ended {
                    position = Position {
                        line: position.line + 1,
                        column: 1,
                    };
                }
                assert_eq!(
                    index.position(offset),
                    position,
                    "byte {offset} of {text:?}"
                );
                position.column += 1;
                before = c;
            }
            for offset in (0..text.len() + 2).step_by(7) {
                assert_eq!(index.position(offset), Position::of(text, offset));
            }
            for line in Lines::new(text) {
                assert_eq!(index.line(line.start), line);
                assert_eq!(index.line(line.next.max(1) - 1), line);
            }
        }
    }

    #[test]
    fn a_position_past_the_end_is_the_end() {
        assert_eq!(Position::of("ab\n", 99), Position { line: 1, column: 4 });
    }
}

//! A cell of a table: its characters, how wide they are, and the lines they take.

use std::fmt::Write as _;

use anstyle::Style;
use unicode_width::UnicodeWidthChar as _;

use super::BOLD;
use crate::terminal::markdown::CODE;

/// How a character looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Plain,
    Bold,
    Code,
}

/// The text of a cell, or a line of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Cell {
    glyphs: Vec<(char, Look)>,
}

impl Cell {
    /// What stands between two bars. No character in it moves the cursor.
    pub(super) fn parse(text: &str) -> Self {
        let mut glyphs = Vec::new();
        let (mut bold, mut code) = (false, false);
        let mut characters = text.trim().chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '`' => code = !code,
                '*' if !code && characters.next_if_eq(&'*').is_some() => bold = !bold,
                character => {
                    let look = match (code, bold) {
                        (true, _) => Look::Code,
                        (false, true) => Look::Bold,
                        (false, false) => Look::Plain,
                    };
                    glyphs.push((harmless(character), look));
                }
            }
        }
        Self { glyphs }
    }

    /// The same as a heading.
    pub(super) fn heading(mut self) -> Self {
        for (_, look) in &mut self.glyphs {
            *look = Look::Bold;
        }
        self
    }

    /// How many columns it takes on one line.
    pub(super) fn width(&self) -> usize {
        width(&self.glyphs)
    }

    /// The same in lines of this width, broken between words where there are any.
    pub(super) fn lines(&self, most: usize) -> Vec<Self> {
        let mut lines = Vec::new();
        let mut rest = self.glyphs.as_slice();
        while width(rest) > most {
            let end = fitting(rest, most);
            let blank = rest[..=end.min(rest.len() - 1)]
                .iter()
                .rposition(|(character, _)| *character == ' ');
            let end = blank.filter(|blank| *blank > 0).unwrap_or(end);
            let blanks = rest[..end].iter().rev();
            let blanks = blanks.take_while(|(character, _)| *character == ' ');
            lines.push(Self {
                glyphs: rest[..end - blanks.count()].to_vec(),
            });
            rest = &rest[end..];
            let blanks = rest.iter().take_while(|(character, _)| *character == ' ');
            rest = &rest[blanks.count()..];
        }
        if !rest.is_empty() || lines.is_empty() {
            lines.push(Self {
                glyphs: rest.to_vec(),
            });
        }
        lines
    }

    /// The characters with their styles, none of which outlives them.
    pub(super) fn painted(&self) -> String {
        let mut text = String::new();
        for run in self.glyphs.chunk_by(|one, other| one.1 == other.1) {
            let style = match run[0].1 {
                Look::Plain => Style::new(),
                Look::Bold => BOLD,
                Look::Code => CODE,
            };
            let words: String = run.iter().map(|(character, _)| *character).collect();
            let _ = write!(text, "{style}{words}{style:#}");
        }
        text
    }
}

fn harmless(character: char) -> char {
    match character {
        '\t' => ' ',
        character if character.is_control() => char::REPLACEMENT_CHARACTER,
        character => character,
    }
}

fn width(glyphs: &[(char, Look)]) -> usize {
    let widths = glyphs.iter().map(|(character, _)| character.width());
    widths.map(Option::unwrap_or_default).sum()
}

/// How many characters fit, at least one.
fn fitting(glyphs: &[(char, Look)], most: usize) -> usize {
    let mut column = 0;
    let fits = |(character, _): &&(char, Look)| {
        column += character.width().unwrap_or_default();
        column <= most
    };
    glyphs.iter().take_while(fits).count().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, most: usize) -> Vec<String> {
        let lines = Cell::parse(text).lines(most);
        lines.iter().map(Cell::painted).collect()
    }

    #[test]
    fn marks_become_looks() {
        let painted = |text: &str| Cell::parse(text).painted();
        assert_eq!(painted(" a **b** c "), "a \u{1b}[1mb\u{1b}[0m c");
        assert_eq!(painted("`x**y`"), "\u{1b}[36mx**y\u{1b}[0m");
        assert_eq!(painted("2 * 3"), "2 * 3");
    }

    #[test]
    fn lines_end_between_words_and_wide_characters_count_twice() {
        assert_eq!(lines("one two three", 8), ["one two", "three"]);
        assert_eq!(lines("unbreakable", 4), ["unbr", "eaka", "ble"]);
        assert_eq!(lines("日本語", 4), ["日本", "語"]);
        assert_eq!(lines("日本語", 1), ["日", "本", "語"]);
        assert_eq!(lines("one  two", 4), ["one", "two"]);
        assert_eq!(lines("", 4), [""]);
    }

    #[test]
    fn nothing_in_it_moves_the_cursor() {
        let told = Cell::parse("a\u{1b}[2Jb\tc\r\u{9b}1A").painted();
        assert_eq!(told, "a\u{fffd}[2Jb c\u{fffd}\u{fffd}1A");
    }
}

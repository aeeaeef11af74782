//! A place in the text that moves forward, with its line and column.
//!
//! A NUL stands for the end of the text; the text itself cannot hold one. Only `\n`
//! begins a line here, although other characters end one inside a value.

/// The reading position.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'s> {
    source: &'s str,
    /// The byte that is read next.
    pub(super) at: usize,
    /// How many characters were read.
    pub(super) index: usize,
    /// The line, from 0.
    pub(super) line: usize,
    /// The column, from 0.
    pub(super) column: usize,
}

impl<'s> Cursor<'s> {
    /// The start of `source`.
    pub(super) fn new(source: &'s str) -> Self {
        Self {
            source,
            at: 0,
            index: 0,
            line: 0,
            column: 0,
        }
    }

    /// The text that was not read yet.
    pub(super) fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// The next character.
    pub(super) fn peek(&self) -> char {
        self.rest().chars().next().unwrap_or('\0')
    }

    /// The character `distance` further than the next.
    pub(super) fn peek_at(&self, distance: usize) -> char {
        self.rest().chars().nth(distance).unwrap_or('\0')
    }

    /// Reads one character.
    pub(super) fn bump(&mut self) -> char {
        let Some(c) = self.rest().chars().next() else {
            return '\0';
        };
        self.at += c.len_utf8();
        self.index += 1;
        if c == '\n' {
            self.line += 1;
            self.column = 0;
        } else if c != '\u{feff}' {
            // A byte order mark has no width.
            self.column += 1;
        }
        c
    }

    /// Reads the characters for which `wanted` holds.
    pub(super) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'s str {
        let rest = self.rest();
        let length = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.take(length)
    }

    /// Reads `length` bytes, which must end between two characters.
    pub(super) fn take(&mut self, length: usize) -> &'s str {
        let taken = self.rest().get(..length).unwrap_or_default();
        if taken.is_ascii() && !taken.contains('\n') {
            // Nearly all text is like this, and can be passed over at once.
            self.at += taken.len();
            self.index += taken.len();
            self.column += taken.len();
        } else {
            for _ in taken.chars() {
                self.bump();
            }
        }
        taken
    }

    /// Reads a line break, if one is next, and gives it back as a value holds it.
    pub(super) fn line_break(&mut self) -> Option<char> {
        match self.peek() {
            '\n' | '\u{85}' => {
                self.bump();
                Some('\n')
            }
            '\u{2028}' | '\u{2029}' => Some(self.bump()),
            _ => None,
        }
    }

    /// Whether `...` stands here as a word.
    pub(super) fn is_at_separator(&self) -> bool {
        self.rest().starts_with("...") && is_blank(self.peek_at(3))
    }
}

/// Whether `c` ends a line inside a value.
pub(super) fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether `c` ends a line or the text.
pub(super) fn is_line_end(c: char) -> bool {
    c == '\0' || is_break(c)
}

/// Whether `c` ends a word.
pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t') || is_line_end(c)
}

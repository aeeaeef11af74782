//! Text without quotes, and text in quotes.

use std::borrow::Cow;

use super::cursor::{Cursor, is_blank, is_break};
use super::scanner::Scanner;
use super::token::{Token, TokenKind};
use crate::reference::message::StrictError;
use crate::reference::python::repr_char;
use crate::span::Span;
use crate::yaml::{Scalar, ScalarStyle};

impl<'s> Scanner<'s> {
    /// Text without quotes; it goes on over lines that are indented deeper than its parent.
    pub(super) fn scan_plain(&mut self) -> Token<'s> {
        let start = self.cursor.at;
        let least_column = self.indent.map_or(0, |column| column + 1);
        let mut end = start;
        // Nearly always it is one line, and needs no text of its own.
        let mut text = Cow::Borrowed("");
        let mut gap = Cow::Borrowed("");
        while self.cursor.peek() != '#' {
            let length = self.plain_length();
            if length == 0 {
                break;
            }
            self.key_allowed = false;
            text += gap;
            text += self.cursor.take(length);
            end = self.cursor.at;
            gap = self.plain_gap();
            if gap.is_empty() || (!self.in_flow() && self.cursor.column < least_column) {
                break;
            }
        }
        scalar(text, ScalarStyle::Plain, start, end)
    }

    /// How many bytes of plain text follow on this line, up to its last word.
    fn plain_length(&self) -> usize {
        let rest = self.cursor.rest();
        let bytes = rest.as_bytes();
        let in_flow = self.in_flow();
        // Byte by byte: no byte inside a character looks like one of these signs.
        let end = (0..bytes.len()).find(|at| match bytes[*at] {
            b':' => is_blank(rest[at + 1..].chars().next().unwrap_or('\0')),
            b',' | b'[' | b']' | b'{' | b'}' => in_flow,
            b'#' => *at > 0 && bytes[at - 1] == b' ',
            b'\t' | b'\n' => true,
            0xC2 | 0xE2 => is_blank(rest[*at..].chars().next().unwrap_or('\0')),
            _ => false,
        });
        rest[..end.unwrap_or(rest.len())]
            .trim_end_matches(' ')
            .len()
    }

    /// The blanks between two words, folded; empty where the text ends.
    fn plain_gap(&mut self) -> Cow<'s, str> {
        let spaces = self.cursor.take_while(|c| c == ' ');
        let Some(first) = self.cursor.line_break() else {
            return Cow::Borrowed(spaces);
        };
        self.key_allowed = true;
        let mut breaks = String::new();
        loop {
            if self.cursor.is_at_separator() {
                return Cow::Borrowed("");
            }
            self.cursor.take_while(|c| c == ' ');
            match self.cursor.line_break() {
                Some(c) => breaks.push(c),
                None => return fold(first, breaks),
            }
        }
    }
}

impl<'s> Cursor<'s> {
    /// Text in quotes; it may go on at any column.
    pub(super) fn scan_quoted(&mut self) -> Result<Token<'s>, StrictError> {
        let start = self.at;
        let quote = self.bump();
        let mut text = String::new();
        loop {
            self.quoted_words(quote, start, &mut text)?;
            if self.peek() == quote {
                self.bump();
                break;
            }
            self.quoted_blanks(start, &mut text)?;
        }
        Ok(scalar(text.into(), ScalarStyle::Quoted, start, self.at))
    }

    /// Reads up to a blank, the closing quote or the end.
    fn quoted_words(
        &mut self,
        quote: char,
        start: usize,
        text: &mut String,
    ) -> Result<(), StrictError> {
        loop {
            text.push_str(self.take_while(|c| !is_blank(c) && !matches!(c, '\'' | '"' | '\\')));
            match self.peek() {
                '\'' if quote == '\'' && self.peek_at(1) == '\'' => {
                    self.bump();
                    text.push(self.bump());
                }
                '\\' if quote == '"' => self.escape(start, text)?,
                c @ ('\'' | '"' | '\\') if c != quote => text.push(self.bump()),
                _ => return Ok(()),
            }
        }
    }

    fn quoted_blanks(&mut self, start: usize, text: &mut String) -> Result<(), StrictError> {
        let blanks = self.take_while(|c| matches!(c, ' ' | '\t'));
        if self.peek() == '\0' {
            return Err(StrictError::new("found unexpected end of stream", self.at)
                .within("while scanning a quoted scalar", start));
        }
        match self.line_break() {
            Some(first) => {
                let breaks = self.quoted_breaks(start)?;
                text.push_str(&fold(first, breaks));
            }
            None => text.push_str(blanks),
        }
        Ok(())
    }

    /// The breaks of the empty lines that follow.
    fn quoted_breaks(&mut self, start: usize) -> Result<String, StrictError> {
        let mut breaks = String::new();
        loop {
            if self.is_at_separator() {
                return Err(
                    StrictError::new("found unexpected document separator", self.at)
                        .within("while scanning a quoted scalar", start),
                );
            }
            self.take_while(|c| matches!(c, ' ' | '\t'));
            match self.line_break() {
                Some(c) => breaks.push(c),
                None => return Ok(breaks),
            }
        }
    }

    fn escape(&mut self, start: usize, text: &mut String) -> Result<(), StrictError> {
        let fail = |problem: String, at: usize| {
            Err(StrictError::new(problem, at)
                .within("while scanning a double-quoted scalar", start))
        };
        self.bump();
        let sign = self.peek();
        if is_break(sign) {
            self.line_break();
            text.push_str(&self.quoted_breaks(start)?);
            return Ok(());
        }
        if let Some(c) = escaped(sign) {
            self.bump();
            text.push(c);
            return Ok(());
        }
        let length = match sign {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => {
                let problem = format!("found unknown escape character {}", repr_char(sign));
                return fail(problem, self.at);
            }
        };
        self.bump();
        let mut code = 0;
        for distance in 0..length {
            let digit = self.peek_at(distance);
            let Some(value) = digit.to_digit(16) else {
                let problem = format!(
                    "expected escape sequence of {length} hexdecimal numbers, but found {}",
                    repr_char(digit)
                );
                return fail(problem, self.at);
            };
            code = code << 4 | value;
        }
        if code > u32::from(char::MAX) {
            // The reference crashes here.
            return fail("found an escape beyond Unicode".into(), self.at);
        }
        self.take(length);
        text.push(match char::from_u32(code) {
            Some(c) => c,
            // To the reference half a character is text; Rust's text cannot hold it.
            None => self
                .second_half(code)
                .unwrap_or(char::REPLACEMENT_CHARACTER),
        });
        Ok(())
    }

    /// The character that starts with the surrogate `first`, if an escape ends it.
    fn second_half(&mut self, first: u32) -> Option<char> {
        let digits = self.rest().strip_prefix("\\u")?.get(..4)?;
        let second = u16::from_str_radix(digits, 16).ok()?;
        let units = [u16::try_from(first).ok()?, second];
        let c = char::decode_utf16(units).next()?.ok()?;
        self.take(2 + digits.len());
        Some(c)
    }
}

/// The character that a one-letter escape stands for.
fn escaped(sign: char) -> Option<char> {
    Some(match sign {
        '0' => '\0',
        'a' => '\x07',
        'b' => '\x08',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\x0b',
        'f' => '\x0c',
        'r' => '\r',
        'e' => '\x1b',
        ' ' | '"' | '/' | '\\' => sign,
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        _ => return None,
    })
}

/// One line break is a space, and further ones are kept; an unusual break is always kept.
fn fold(first: char, breaks: String) -> Cow<'static, str> {
    if first != '\n' {
        format!("{first}{breaks}").into()
    } else if breaks.is_empty() {
        " ".into()
    } else {
        breaks.into()
    }
}

fn scalar(text: Cow<'_, str>, style: ScalarStyle, start: usize, end: usize) -> Token<'_> {
    Token {
        kind: TokenKind::Scalar(Scalar { text, style }),
        span: Span::new(start, end),
    }
}

//! `*alias`, `&anchor`, `!tag` and `%directive`: all refused later, but each with its own complaint.

use super::cursor::{Cursor, is_blank, is_line_end};
use super::token::{Token, TokenKind};
use crate::reference::message::StrictError;
use crate::reference::python::repr_char;
use crate::span::Span;

const SCANNING_TAG: &str = "while scanning a tag";

impl Cursor<'_> {
    /// `*name` or `&name`: the name is any text without a blank or a bracket.
    pub(super) fn scan_reference(&mut self) -> Result<Token<'static>, StrictError> {
        let start = self.at;
        let (kind, context) = match self.bump() {
            '*' => (TokenKind::Alias, "while scanning an alias"),
            _ => (TokenKind::Anchor, "while scanning an anchor"),
        };
        let name = self.take_while(|c| !ends_name(c));
        if name.is_empty() || self.peek() == '\u{feff}' {
            return Err(self.expected("alphabetic or numeric character", context, start));
        }
        Ok(self.token(kind, start))
    }

    /// `!`, `!name`, `!handle!name` or `!<name>`.
    pub(super) fn scan_tag(&mut self) -> Result<Token<'static>, StrictError> {
        let start = self.at;
        self.bump();
        if self.peek() == '<' {
            self.bump();
            self.tag_name(start)?;
            if self.peek() != '>' {
                return Err(self.expected("'>'", "while parsing a tag", start));
            }
            self.bump();
        } else if !is_blank(self.peek()) {
            let word = self.rest().split(|c| c == ' ' || is_line_end(c)).next();
            if word.is_some_and(|word| word.contains('!')) {
                self.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
                if self.peek() != '!' {
                    return Err(self.expected("'!'", SCANNING_TAG, start));
                }
                self.bump();
            }
            self.tag_name(start)?;
        }
        if self.peek() != ' ' && !is_line_end(self.peek()) {
            return Err(self.expected("' '", SCANNING_TAG, start));
        }
        Ok(self.token(TokenKind::Tag, start))
    }

    fn tag_name(&mut self, start: usize) -> Result<(), StrictError> {
        let name_start = self.at;
        loop {
            self.take_while(|c| c.is_ascii_alphanumeric() || "-;/?:@&=+$,_.!~*'()[]#".contains(c));
            if self.peek() != '%' {
                break;
            }
            self.bump();
            let digits = [self.peek(), self.peek_at(1)];
            if let Some(found) = digits.iter().find(|c| !c.is_ascii_hexdigit()) {
                let problem = format!(
                    "expected URI escape sequence of 2 hexdecimal numbers, but found {}",
                    repr_char(*found)
                );
                return Err(StrictError::new(problem, self.at).within(SCANNING_TAG, start));
            }
        }
        if self.at == name_start {
            return Err(self.expected("URI", "while parsing a tag", start));
        }
        Ok(())
    }

    /// A `%` line.
    pub(super) fn scan_directive(&mut self) -> Result<Token<'static>, StrictError> {
        let start = self.at;
        self.bump();
        let name = self.take_while(|c| c.is_ascii_alphanumeric() || "-_:.".contains(c));
        if name.is_empty() || (self.peek() != ' ' && !is_line_end(self.peek())) {
            return Err(self.expected(
                "alphabetic or numeric character",
                "while scanning a directive",
                start,
            ));
        }
        let token = self.token(TokenKind::Directive, start);
        self.take_while(|c| !is_line_end(c));
        self.line_break();
        Ok(token)
    }

    fn token(&self, kind: TokenKind<'static>, start: usize) -> Token<'static> {
        let span = Span::new(start, self.at);
        Token { kind, span }
    }

    fn expected(&self, what: &str, context: &'static str, start: usize) -> StrictError {
        let problem = format!("expected {what}, but found {}", repr_char(self.peek()));
        StrictError::new(problem, self.at).within(context, start)
    }
}

fn ends_name(c: char) -> bool {
    matches!(
        c,
        ' ' | '\t' | '\n' | '\u{85}' | '\u{feff}' | ',' | '[' | ']' | '{' | '}'
    )
}

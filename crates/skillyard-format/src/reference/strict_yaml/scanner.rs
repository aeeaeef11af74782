//! The text as a row of tokens, read just as far ahead as the reference reads.
//!
//! How far ahead matters: an error in a token that is already scanned comes before a
//! complaint about the token in front of it. Two rules say how far. A token that may
//! turn out to be a key is scanned on to the end of its line or to the `:`. And one
//! token more than the one in question is always scanned; a comment counts as one.

use std::collections::VecDeque;

use super::cursor::{Cursor, is_blank, is_line_end};
use super::possible_key::PossibleKey;
use super::token::{Token, TokenKind};
use crate::reference::message::StrictError;
use crate::reference::python::repr_char;
use crate::span::Span;

/// Cuts the text into tokens on demand.
pub(super) struct Scanner<'s> {
    pub(super) cursor: Cursor<'s>,
    pub(super) tokens: VecDeque<Token<'s>>,
    /// How many tokens have left the queue.
    pub(super) taken: usize,
    pub(super) is_done: bool,
    /// The column of the innermost open list or mapping.
    pub(super) indent: Option<usize>,
    pub(super) outer_indents: Vec<Option<usize>>,
    /// The brackets that are open.
    pub(super) flow: Vec<char>,
    /// What may turn out to be a key, at most one for each level of brackets.
    pub(super) keys: Vec<PossibleKey<'s>>,
    /// Whether a key may start here, or a list or a mapping.
    pub(super) key_allowed: bool,
}

impl<'s> Scanner<'s> {
    /// A scanner at the start of `source`.
    pub(super) fn new(source: &'s str) -> Self {
        Self {
            cursor: Cursor::new(source),
            tokens: VecDeque::new(),
            taken: 0,
            is_done: false,
            indent: None,
            outer_indents: Vec::new(),
            flow: Vec::new(),
            keys: Vec::new(),
            key_allowed: true,
        }
    }

    /// The next token; at the end of the text always the same one.
    pub(super) fn peek(&mut self) -> Result<&Token<'s>, StrictError> {
        self.fill()?;
        Ok(&self.tokens[0])
    }

    /// Takes the next token away.
    pub(super) fn take(&mut self) -> Result<Token<'s>, StrictError> {
        self.fill()?;
        self.taken += 1;
        Ok(self.tokens.pop_front().unwrap_or_else(|| self.stream_end()))
    }

    /// Scans as far as the next token asks for.
    fn fill(&mut self) -> Result<(), StrictError> {
        loop {
            while self.needs_more()? {
                self.fetch()?;
            }
            if self.tokens[0].kind != TokenKind::Comment {
                break;
            }
            self.tokens.pop_front();
            self.taken += 1;
        }
        if !self.is_done && self.tokens.len() < 2 {
            self.fetch()?;
        }
        Ok(())
    }

    fn needs_more(&mut self) -> Result<bool, StrictError> {
        if self.is_done || self.tokens.is_empty() {
            return Ok(self.tokens.is_empty());
        }
        self.drop_stale_keys()?;
        Ok(self
            .keys
            .first()
            .is_some_and(|key| key.number == self.taken))
    }

    /// Scans one token, or several that stand in the same place.
    fn fetch(&mut self) -> Result<(), StrictError> {
        let start = self.cursor.at;
        if self.skip_blanks() {
            self.push(TokenKind::Comment, start);
            return Ok(());
        }
        self.drop_stale_keys()?;
        self.unwind(Some(self.cursor.column));
        let (c, next) = (self.cursor.peek(), self.cursor.peek_at(1));
        let at_line_start = self.cursor.column == 0;
        match c {
            '\0' => self.fetch_stream_end()?,
            '%' if at_line_start => self.fetch_directive()?,
            '.' if at_line_start && self.cursor.is_at_separator() => self.fetch_document_end()?,
            '[' | '{' => self.fetch_flow_start(c)?,
            ']' | '}' => self.fetch_flow_end(c)?,
            ',' => self.fetch_flow_entry()?,
            '-' if is_blank(next) => self.fetch_entry()?,
            '?' if self.in_flow() || is_blank(next) => self.fetch_key()?,
            ':' if self.is_value(next) => self.fetch_value()?,
            '*' | '&' | '!' | '\'' | '"' => {
                self.note_possible_key()?;
                self.key_allowed = false;
                let token = match c {
                    '!' => self.cursor.scan_tag()?,
                    '*' | '&' => self.cursor.scan_reference()?,
                    _ => self.cursor.scan_quoted()?,
                };
                self.tokens.push_back(token);
            }
            '|' | '>' if !self.in_flow() => {
                self.key_allowed = true;
                self.forget_key()?;
                let token = self.scan_block()?;
                self.tokens.push_back(token);
            }
            _ if self.starts_plain(c, next) => {
                self.note_possible_key()?;
                self.key_allowed = false;
                let token = self.scan_plain();
                self.tokens.push_back(token);
            }
            _ => {
                let problem = format!(
                    "found character {} that cannot start any token",
                    repr_char(c)
                );
                return Err(StrictError::new(problem, self.cursor.at)
                    .within("while scanning for the next token", None));
            }
        }
        Ok(())
    }

    /// Goes to the next token; true when it met a comment or an empty line, which count as one.
    pub(super) fn skip_blanks(&mut self) -> bool {
        if self.cursor.at == 0 && self.cursor.peek() == '\u{feff}' {
            self.cursor.bump();
        }
        loop {
            self.cursor.take_while(|c| c == ' ');
            let is_comment = self.cursor.peek() == '#';
            if is_comment {
                self.cursor.take_while(|c| !is_line_end(c));
                while self.cursor.line_break().is_some() {}
            } else if self.cursor.line_break().is_none() {
                return false;
            }
            if !self.in_flow() {
                self.key_allowed = true;
            }
            if is_comment {
                return true;
            }
            if self.cursor.peek() == '\n' {
                // The indentation of the line behind the empty ones is lost, tabs included.
                while self.cursor.line_break().is_some() || matches!(self.cursor.peek(), ' ' | '\t')
                {
                    self.cursor.take_while(|c| matches!(c, ' ' | '\t'));
                }
                return true;
            }
        }
    }

    pub(super) fn in_flow(&self) -> bool {
        !self.flow.is_empty()
    }

    fn is_value(&self, next: char) -> bool {
        if is_blank(next) {
            return true;
        }
        let behind_value = self
            .tokens
            .back()
            .is_some_and(|token| token.kind == TokenKind::Value);
        self.flow.last() == Some(&'{') && !behind_value
    }

    fn starts_plain(&self, c: char, next: char) -> bool {
        match c {
            '?' | ':' if self.in_flow() => c == ':' && !matches!(next, ' ' | '\t'),
            '-' | '?' | ':' => !is_blank(next),
            ',' | '[' | ']' | '{' | '}' | '#' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%'
            | '@' | '`' => false,
            c => !is_blank(c),
        }
    }

    pub(super) fn push(&mut self, kind: TokenKind<'s>, start: usize) {
        let span = Span::new(start, self.cursor.at);
        self.tokens.push_back(Token { kind, span });
    }

    /// Adds a token of one character.
    pub(super) fn push_sign(&mut self, kind: TokenKind<'s>) {
        let start = self.cursor.at;
        self.cursor.bump();
        self.push(kind, start);
    }

    pub(super) fn stream_end(&self) -> Token<'s> {
        Token {
            kind: TokenKind::StreamEnd,
            span: Span::at(self.cursor.at),
        }
    }
}

//! The text as a row of tokens, read just as far ahead as the reference reads.
//!
//! How far ahead matters: an error in a token that is already scanned comes before a
//! complaint about the token in front of it. Two rules say how far. A token that may
//! turn out to be a key is scanned on to the end of its line or to the `:`. And one
//! token more than the one in question is always scanned; a comment counts as one.

use std::collections::VecDeque;

use super::cursor::{Cursor, is_blank, is_line_end};
use super::token::{Token, TokenKind};
use crate::reference::message::StrictError;
use crate::reference::python::repr_char;
use crate::span::Span;

/// How many characters a key may have.
const LONGEST_KEY: usize = 1024;

/// Cuts the text into tokens on demand.
pub(super) struct Scanner<'s> {
    pub(super) cursor: Cursor<'s>,
    source: &'s str,
    tokens: VecDeque<Token>,
    /// How many tokens have left the queue.
    taken: usize,
    is_done: bool,
    /// The column of the innermost open list or mapping.
    pub(super) indent: Option<usize>,
    outer_indents: Vec<Option<usize>>,
    /// The brackets that are open.
    flow: Vec<char>,
    /// What may turn out to be a key, at most one for each level of brackets.
    keys: Vec<PossibleKey<'s>>,
    pub(super) key_allowed: bool,
}

/// A token that is a key if a `:` follows it.
struct PossibleKey<'s> {
    flow_level: usize,
    /// The number of the token, counted from the start of the text.
    number: usize,
    /// Whether nothing but a key may stand here.
    required: bool,
    start: Cursor<'s>,
}

impl<'s> Scanner<'s> {
    /// A scanner at the start of `source`.
    pub(super) fn new(source: &'s str) -> Self {
        Self {
            cursor: Cursor::new(source),
            source,
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
    pub(super) fn peek(&mut self) -> Result<&Token, StrictError> {
        self.fill()?;
        Ok(&self.tokens[0])
    }

    /// Takes the next token away.
    pub(super) fn take(&mut self) -> Result<Token, StrictError> {
        self.fill()?;
        while self.is_followed_by_its_comment() {
            self.tokens.remove(1);
            self.taken += 1;
            self.fetch()?;
        }
        if self.is_done && self.tokens.len() == 1 {
            return Ok(self.tokens[0].clone());
        }
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
        if self.is_done {
            return Ok(false);
        }
        if self.tokens.is_empty() {
            return Ok(true);
        }
        self.drop_stale_keys()?;
        Ok(self
            .keys
            .first()
            .is_some_and(|key| key.number == self.taken))
    }

    /// Whether a comment belongs to the next token and leaves the queue before it.
    fn is_followed_by_its_comment(&self) -> bool {
        let (Some(head), Some(next)) = (self.tokens.front(), self.tokens.get(1)) else {
            return false;
        };
        let between = Span::new(head.span.end, next.span.start).of(self.source);
        next.kind == TokenKind::Comment
            && match head.kind {
                TokenKind::Scalar(_) => true,
                TokenKind::Value | TokenKind::FlowEnd(_) => !between.contains('\n'),
                _ => false,
            }
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
            '\0' => self.fetch_stream_end(),
            '%' if at_line_start => self.fetch_directive(),
            '.' if at_line_start && self.cursor.is_at_separator() => self.fetch_document_end(),
            '[' | '{' => self.fetch_flow_start(c),
            ']' | '}' => self.fetch_flow_end(c),
            ',' => {
                self.key_allowed = true;
                self.forget_key()?;
                self.push_sign(TokenKind::FlowEntry)
            }
            '-' if is_blank(next) => self.fetch_entry(),
            '?' if self.in_flow() || is_blank(next) => self.fetch_key(),
            ':' if self.is_value(next) => self.fetch_value(),
            '*' | '&' | '!' | '\'' | '"' => {
                self.note_possible_key()?;
                self.key_allowed = false;
                let token = match c {
                    '!' => self.cursor.scan_tag()?,
                    '*' | '&' => self.cursor.scan_reference()?,
                    _ => self.cursor.scan_quoted()?,
                };
                self.tokens.push_back(token);
                Ok(())
            }
            '|' | '>' if !self.in_flow() => {
                self.key_allowed = true;
                self.forget_key()?;
                let token = self.scan_block()?;
                self.tokens.push_back(token);
                Ok(())
            }
            _ if self.starts_plain(c, next) => {
                self.note_possible_key()?;
                self.key_allowed = false;
                let token = self.scan_plain();
                self.tokens.push_back(token);
                Ok(())
            }
            _ => Err(StrictError::new(
                format!(
                    "found character {} that cannot start any token",
                    repr_char(c)
                ),
                self.cursor.at,
            )
            .within("while scanning for the next token", None)),
        }
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
            '-' => !is_blank(next),
            '?' | ':' if self.in_flow() => c == ':' && !matches!(next, ' ' | '\t'),
            '?' | ':' => !is_blank(next),
            ',' | '[' | ']' | '{' | '}' | '#' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%'
            | '@' | '`' => false,
            c => !is_blank(c),
        }
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        let span = Span::new(start, self.cursor.at);
        self.tokens.push_back(Token { kind, span });
    }

    /// Adds a token of one character.
    fn push_sign(&mut self, kind: TokenKind) -> Result<(), StrictError> {
        let start = self.cursor.at;
        self.cursor.bump();
        self.push(kind, start);
        Ok(())
    }

    fn stream_end(&self) -> Token {
        Token {
            kind: TokenKind::StreamEnd,
            span: Span::at(self.cursor.at),
        }
    }

    fn fetch_stream_end(&mut self) -> Result<(), StrictError> {
        self.unwind(None);
        self.forget_key()?;
        self.keys.clear();
        self.tokens.push_back(self.stream_end());
        self.is_done = true;
        Ok(())
    }

    fn fetch_directive(&mut self) -> Result<(), StrictError> {
        self.unwind(None);
        self.forget_key()?;
        self.key_allowed = false;
        let token = self.cursor.scan_directive()?;
        self.tokens.push_back(token);
        Ok(())
    }

    fn fetch_document_end(&mut self) -> Result<(), StrictError> {
        self.unwind(None);
        self.forget_key()?;
        self.key_allowed = false;
        let start = self.cursor.at;
        self.cursor.take(3);
        self.push(TokenKind::DocumentEnd, start);
        Ok(())
    }

    fn fetch_flow_start(&mut self, bracket: char) -> Result<(), StrictError> {
        self.note_possible_key()?;
        self.flow.push(bracket);
        self.key_allowed = true;
        self.push_sign(TokenKind::FlowStart(bracket))
    }

    fn fetch_flow_end(&mut self, bracket: char) -> Result<(), StrictError> {
        self.forget_key()?;
        self.flow.pop();
        self.key_allowed = false;
        self.push_sign(TokenKind::FlowEnd(bracket))
    }

    fn fetch_entry(&mut self) -> Result<(), StrictError> {
        self.open_block(
            TokenKind::SequenceStart,
            "sequence entries are not allowed here",
        )?;
        self.key_allowed = true;
        self.forget_key()?;
        self.push_sign(TokenKind::Entry)
    }

    fn fetch_key(&mut self) -> Result<(), StrictError> {
        self.open_block(TokenKind::MappingStart, "mapping keys are not allowed here")?;
        self.key_allowed = !self.in_flow();
        self.forget_key()?;
        self.push_sign(TokenKind::Key)
    }

    fn fetch_value(&mut self) -> Result<(), StrictError> {
        let Some(key) = self.keys.pop_if(|key| key.flow_level == self.flow.len()) else {
            self.open_block(
                TokenKind::MappingStart,
                "mapping values are not allowed here",
            )?;
            self.key_allowed = !self.in_flow();
            return self.push_sign(TokenKind::Value);
        };
        let token = |kind| Token {
            kind,
            span: Span::at(key.start.at),
        };
        let position = key.number.saturating_sub(self.taken).min(self.tokens.len());
        self.tokens.insert(position, token(TokenKind::Key));
        if !self.in_flow() && self.add_indent(key.start.column) {
            self.tokens.insert(position, token(TokenKind::MappingStart));
        }
        self.key_allowed = false;
        self.push_sign(TokenKind::Value)
    }

    /// Starts a list or a mapping outside brackets, unless one goes on in this column.
    fn open_block(&mut self, start: TokenKind, refusal: &str) -> Result<(), StrictError> {
        if self.in_flow() {
            return Ok(());
        }
        if !self.key_allowed {
            return Err(StrictError::new(refusal, self.cursor.at));
        }
        if self.add_indent(self.cursor.column) {
            self.push(start, self.cursor.at);
        }
        Ok(())
    }

    fn add_indent(&mut self, column: usize) -> bool {
        let deeper = self.indent < Some(column);
        if deeper {
            self.outer_indents.push(self.indent);
            self.indent = Some(column);
        }
        deeper
    }

    /// Ends what is indented deeper than `column`.
    fn unwind(&mut self, column: Option<usize>) {
        while !self.in_flow() && self.indent > column {
            self.indent = self.outer_indents.pop().flatten();
            self.push(TokenKind::BlockEnd, self.cursor.at);
        }
    }

    fn note_possible_key(&mut self) -> Result<(), StrictError> {
        if !self.key_allowed {
            return Ok(());
        }
        self.forget_key()?;
        self.keys.push(PossibleKey {
            flow_level: self.flow.len(),
            number: self.taken + self.tokens.len(),
            required: !self.in_flow() && self.indent == Some(self.cursor.column),
            start: self.cursor,
        });
        Ok(())
    }

    /// Gives up the key at this level of brackets.
    fn forget_key(&mut self) -> Result<(), StrictError> {
        match self.keys.pop_if(|key| key.flow_level == self.flow.len()) {
            Some(key) => self.check_not_required(&key),
            None => Ok(()),
        }
    }

    /// Gives up keys that the cursor has left behind: a key has one line and a longest length.
    fn drop_stale_keys(&mut self) -> Result<(), StrictError> {
        let here = self.cursor;
        let is_stale = |key: &PossibleKey| {
            key.start.line != here.line || here.index - key.start.index > LONGEST_KEY
        };
        if let Some(key) = self.keys.iter().find(|key| is_stale(key)) {
            self.check_not_required(key)?;
            self.keys.retain(|key| !is_stale(key));
        }
        Ok(())
    }

    fn check_not_required(&self, key: &PossibleKey) -> Result<(), StrictError> {
        if key.required {
            return Err(
                StrictError::new("could not find expected ':'", self.cursor.at)
                    .within("while scanning a simple key", key.start.at),
            );
        }
        Ok(())
    }
}

//! The signs that give the text its structure, and the indentation that does.

use super::scanner::Scanner;
use super::token::{Token, TokenKind};
use crate::reference::message::StrictError;
use crate::span::Span;

impl<'s> Scanner<'s> {
    pub(super) fn fetch_stream_end(&mut self) -> Result<(), StrictError> {
        self.unwind(None);
        self.forget_key()?;
        self.keys.clear();
        self.tokens.push_back(self.stream_end());
        self.is_done = true;
        Ok(())
    }

    pub(super) fn fetch_directive(&mut self) -> Result<(), StrictError> {
        self.unwind(None);
        self.forget_key()?;
        self.key_allowed = false;
        let token = self.cursor.scan_directive()?;
        self.tokens.push_back(token);
        Ok(())
    }

    pub(super) fn fetch_document_end(&mut self) -> Result<(), StrictError> {
        self.unwind(None);
        self.forget_key()?;
        self.key_allowed = false;
        let start = self.cursor.at;
        self.cursor.take(3);
        self.push(TokenKind::DocumentEnd, start);
        Ok(())
    }

    pub(super) fn fetch_flow_start(&mut self, bracket: char) -> Result<(), StrictError> {
        self.note_possible_key()?;
        self.flow.push(bracket);
        self.key_allowed = true;
        self.push_sign(TokenKind::FlowStart(bracket));
        Ok(())
    }

    pub(super) fn fetch_flow_end(&mut self, bracket: char) -> Result<(), StrictError> {
        self.forget_key()?;
        self.flow.pop();
        self.key_allowed = false;
        self.push_sign(TokenKind::FlowEnd(bracket));
        Ok(())
    }

    pub(super) fn fetch_flow_entry(&mut self) -> Result<(), StrictError> {
        self.key_allowed = true;
        self.forget_key()?;
        self.push_sign(TokenKind::FlowEntry);
        Ok(())
    }

    pub(super) fn fetch_entry(&mut self) -> Result<(), StrictError> {
        self.open_block(
            TokenKind::SequenceStart,
            "sequence entries are not allowed here",
        )?;
        self.key_allowed = true;
        self.forget_key()?;
        self.push_sign(TokenKind::Entry);
        Ok(())
    }

    pub(super) fn fetch_key(&mut self) -> Result<(), StrictError> {
        self.open_block(TokenKind::MappingStart, "mapping keys are not allowed here")?;
        self.key_allowed = !self.in_flow();
        self.forget_key()?;
        self.push_sign(TokenKind::Key);
        Ok(())
    }

    pub(super) fn fetch_value(&mut self) -> Result<(), StrictError> {
        let Some(key) = self.keys.pop_if(|key| key.flow_level == self.flow.len()) else {
            self.open_block(
                TokenKind::MappingStart,
                "mapping values are not allowed here",
            )?;
            self.key_allowed = !self.in_flow();
            self.push_sign(TokenKind::Value);
            return Ok(());
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
        self.push_sign(TokenKind::Value);
        Ok(())
    }

    /// Starts a list or a mapping outside brackets, unless one goes on in this column.
    fn open_block(&mut self, start: TokenKind<'s>, refusal: &str) -> Result<(), StrictError> {
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
    pub(super) fn unwind(&mut self, column: Option<usize>) {
        while !self.in_flow() && self.indent > column {
            self.indent = self.outer_indents.pop().flatten();
            self.push(TokenKind::BlockEnd, self.cursor.at);
        }
    }
}

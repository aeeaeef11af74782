//! Text as a `|` or `>` block.

use super::cursor::{Cursor, is_break, is_line_end};
use super::scanner::Scanner;
use super::token::{Token, TokenKind};
use crate::reference::message::StrictError;
use crate::reference::python::repr_char;
use crate::span::Span;
use crate::yaml::{Scalar, ScalarStyle};

const CONTEXT: &str = "while scanning a block scalar";

/// What the first line of a block says.
struct Header {
    chomping: Chomping,
    /// The indentation that was asked for, relative to the parent.
    increment: Option<usize>,
}

/// What happens to the line breaks at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    Clip,
    Keep,
    Strip,
}

impl<'s> Scanner<'s> {
    /// A block with its header.
    pub(super) fn scan_block(&mut self) -> Result<Token<'s>, StrictError> {
        let start = self.cursor.at;
        let is_folded = self.cursor.bump() == '>';
        let header = self.cursor.block_header(start)?;
        let least_indent = self.indent.map_or(0, |column| column + 1);
        let (indent, (mut breaks, mut end)) = if let Some(increment) = header.increment {
            let indent = least_indent.max(1) + increment - 1;
            (indent, self.cursor.block_breaks(indent))
        } else {
            let (widest, breaks, end) = self.cursor.block_indentation();
            (widest.max(least_indent), (breaks, end))
        };
        let mut text = String::new();
        let mut last_break = None;
        while self.cursor.column == indent && self.cursor.peek() != '\0' {
            text.push_str(&breaks);
            let is_flush = !matches!(self.cursor.peek(), ' ' | '\t');
            text.push_str(self.cursor.take_while(|c| !is_line_end(c)));
            last_break = self.cursor.line_break();
            (breaks, end) = self.cursor.block_breaks(indent);
            let at_document_end =
                least_indent == 0 && self.cursor.column == 0 && self.cursor.is_at_separator();
            let next = self.cursor.peek();
            if at_document_end || self.cursor.column != indent || next == '\0' {
                break;
            }
            let joins =
                is_folded && last_break == Some('\n') && is_flush && !matches!(next, ' ' | '\t');
            if !joins {
                text.extend(last_break);
            } else if breaks.is_empty() {
                text.push(' ');
            }
        }
        if header.chomping != Chomping::Strip {
            text.extend(last_break);
        }
        if header.chomping == Chomping::Keep {
            text.push_str(&breaks);
        } else if !breaks.is_empty() {
            // Comments behind the empty lines belong to the block.
            while self.skip_blanks() {}
        }
        let style = ScalarStyle::Block;
        Ok(Token {
            kind: TokenKind::Scalar(Scalar {
                text: text.into(),
                style,
            }),
            span: Span::new(start, end),
        })
    }
}

impl Cursor<'_> {
    fn block_header(&mut self, start: usize) -> Result<Header, StrictError> {
        let mut header = Header {
            chomping: Chomping::Clip,
            increment: None,
        };
        let is_chomped = self.chomping(&mut header);
        self.increment(&mut header, start)?;
        if !is_chomped {
            self.chomping(&mut header);
        }
        let c = self.peek();
        if c != ' ' && !is_line_end(c) {
            return Err(StrictError::new(
                format!(
                    "expected chomping or indentation indicators, but found {}",
                    repr_char(c)
                ),
                self.at,
            )
            .within(CONTEXT, start));
        }
        self.take_while(|c| c == ' ');
        if self.peek() == '#' {
            self.take_while(|c| !is_line_end(c));
        }
        let c = self.peek();
        if !is_line_end(c) {
            return Err(StrictError::new(
                format!(
                    "expected a comment or a line break, but found {}",
                    repr_char(c)
                ),
                self.at,
            )
            .within(CONTEXT, start));
        }
        self.line_break();
        Ok(header)
    }

    fn chomping(&mut self, header: &mut Header) -> bool {
        header.chomping = match self.peek() {
            '+' => Chomping::Keep,
            '-' => Chomping::Strip,
            _ => return false,
        };
        self.bump();
        true
    }

    fn increment(&mut self, header: &mut Header, start: usize) -> Result<(), StrictError> {
        match self.peek().to_digit(10) {
            None => return Ok(()),
            Some(0) => {
                return Err(StrictError::new(
                    "expected indentation indicator in the range 1-9, but found 0",
                    self.at,
                )
                .within(CONTEXT, start));
            }
            Some(digit) => header.increment = usize::try_from(digit).ok(),
        }
        self.bump();
        Ok(())
    }

    /// Goes to the first line with text: the widest column seen, the breaks, and where they end.
    fn block_indentation(&mut self) -> (usize, String, usize) {
        let (mut widest, mut breaks, mut end) = (0, String::new(), self.at);
        while self.peek() == ' ' || is_break(self.peek()) {
            if let Some(c) = self.line_break() {
                breaks.push(c);
                end = self.at;
            } else {
                self.bump();
                widest = widest.max(self.column);
            }
        }
        (widest, breaks, end)
    }

    /// Goes to the text of the next line that has any: the breaks on the way, and where they end.
    fn block_breaks(&mut self, indent: usize) -> (String, usize) {
        let (mut breaks, mut end) = (String::new(), self.at);
        loop {
            while self.column < indent && self.peek() == ' ' {
                self.bump();
            }
            match self.line_break() {
                Some(c) => breaks.push(c),
                None => return (breaks, end),
            }
            end = self.at;
        }
    }
}

//! The fast reader: block mappings and lists of plain, quoted and block scalars.
//!
//! It answers only where it is certain to answer as libyaml does, and returns
//! `None` otherwise, so it needs no errors of its own: nine of ten real
//! frontmatters never reach the full parser.

mod collection;
mod flow;
mod scalar;

use std::borrow::Cow;

use super::{Features, Flow, MAX_NODES, Node, Scalar, ScalarStyle, Tree, Value};
use crate::span::Span;
use crate::text::any_byte;

/// Reads `source`, or declines with `None`.
pub(super) fn parse(source: &str, offset: usize) -> Option<Tree<'_>> {
    if !is_plain_text(source) {
        return None;
    }
    let mut reader = Reader {
        source,
        bytes: source.as_bytes(),
        offset,
        at: 0,
        nodes: 0,
        flow: None,
    };
    reader.skip_blank_lines();
    if reader.at_end() || reader.indent() != 0 {
        return None;
    }
    let start = reader.at;
    let mapping = reader.mapping(0, 0)?;
    if !reader.at_end() {
        return None;
    }
    let root = reader.collection(start, mapping);
    Some(Tree {
        root: Some(root),
        features: Features {
            flow: reader.flow,
            ..Features::default()
        },
    })
}

/// Whether every character is one that libyaml treats as ordinary text, a space or `\n`.
fn is_plain_text(source: &str) -> bool {
    // `\r`, tabs, other controls and DEL.
    let control = |byte: u8| (byte < 0x20 && byte != b'\n') || byte == 0x7F;
    !any_byte(source, control) && !has_special_character(source.as_bytes())
}

/// Whether there is a C1 control, a Unicode line break, a byte order mark or a non-character.
fn has_special_character(bytes: &[u8]) -> bool {
    memchr::memchr3_iter(0xC2, 0xE2, 0xEF, bytes).any(|at| {
        matches!(
            bytes[at..],
            [0xC2, 0x80..=0x9F, ..]
                | [0xE2, 0x80, 0xA8 | 0xA9, ..]
                | [0xEF, 0xBB, 0xBF, ..]
                | [0xEF, 0xBF, 0xBE | 0xBF, ..]
        )
    })
}

struct Reader<'a> {
    source: &'a str,
    bytes: &'a [u8],
    offset: usize,
    at: usize,
    nodes: usize,
    flow: Option<Flow>,
}

impl<'a> Reader<'a> {
    fn at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The end of the line that holds `at`, its line break left out.
    fn line_end(&self) -> usize {
        memchr::memchr(b'\n', &self.bytes[self.at..]).map_or(self.bytes.len(), |n| self.at + n)
    }

    /// The number of spaces at the start of this line.
    #[inline]
    fn indent(&self) -> usize {
        self.bytes[self.at..]
            .iter()
            .take_while(|byte| **byte == b' ')
            .count()
    }

    fn skip_spaces(&mut self) {
        self.at += self.indent();
    }

    #[inline]
    fn skip_blank_lines(&mut self) {
        // Mostly a key follows.
        if self.peek().is_some_and(|byte| byte > b' ') {
            return;
        }
        while !self.at_end() {
            let text = self.at + self.indent();
            match self.bytes.get(text) {
                None => self.at = text,
                Some(b'\n') => self.at = text + 1,
                Some(_) => return,
            }
        }
    }

    /// Moves past the end of a line that holds nothing more than spaces.
    fn finish_line(&mut self) -> Option<()> {
        self.skip_spaces();
        match self.peek() {
            None => Some(()),
            Some(b'\n') => {
                self.at += 1;
                Some(())
            }
            Some(_) => None,
        }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.offset + start, self.offset + end)
    }

    fn count(&mut self) -> Option<()> {
        self.nodes += 1;
        (self.nodes <= MAX_NODES).then_some(())
    }

    fn scalar(
        &mut self,
        start: usize,
        end: usize,
        text: Cow<'a, str>,
        style: ScalarStyle,
    ) -> Option<Node<'a>> {
        self.count()?;
        Some(Node {
            span: self.span(start, end),
            value: Value::Scalar(Scalar { text, style }),
        })
    }
}

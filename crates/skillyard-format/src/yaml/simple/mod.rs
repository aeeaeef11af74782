//! The fast reader: block mappings and lists of plain, quoted and block scalars.
//!
//! It answers only where it is certain to answer as libyaml does, and returns
//! `None` otherwise, so it needs no errors of its own: nine of ten real
//! frontmatters never reach the full parser.

mod flow;
mod scalar;

use std::borrow::Cow;

use super::{
    Entry, Features, Flow, MAX_DEPTH, MAX_NODES, Mapping, Node, Scalar, ScalarStyle, Tree, Value,
};
use crate::span::Span;
use crate::text::any_byte;

/// Longest key that is read here; libyaml's own limit is 1,024 characters.
const MAX_KEY: usize = 100;

/// Whether a key may hold this byte.
const IN_KEY: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] =
            matches!(byte as u8, b'_' | b'-' | b'.') || (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    table
};

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

    fn collection(&self, start: usize, mapping: Mapping<'a>) -> Node<'a> {
        let end = mapping.entries.last().map_or(0, |last| last.value.span.end);
        Node {
            span: Span::new(self.offset + start, end),
            value: Value::Mapping(mapping),
        }
    }

    /// Reads the entries that stand at exactly `indent` columns; `at` is the start of a line.
    fn mapping(&mut self, indent: usize, depth: usize) -> Option<Mapping<'a>> {
        if depth >= MAX_DEPTH {
            return None;
        }
        self.count()?;
        let mut mapping = Mapping {
            entries: Vec::with_capacity(8),
        };
        loop {
            let (key, key_span) = self.key(indent)?;
            let value = self.value(indent, depth)?;
            mapping.entries.push(Entry {
                key,
                key_span,
                value,
            });
            self.skip_blank_lines();
            if self.at_end() {
                return Some(mapping);
            }
            match self.indent() {
                here if here == indent => {}
                here if here < indent => return Some(mapping),
                _ => return None,
            }
        }
    }

    /// Reads `key:` and leaves `at` just behind the colon.
    fn key(&mut self, indent: usize) -> Option<(Cow<'a, str>, Span)> {
        self.count()?;
        let start = self.at + indent;
        let length = self.bytes[start..]
            .iter()
            .take_while(|byte| IN_KEY[usize::from(**byte)])
            .count();
        let end = start + length;
        let starts_well = self.bytes.get(start).is_some_and(u8::is_ascii_alphabetic);
        let colon = self.bytes.get(end) == Some(&b':');
        let closed = matches!(self.bytes.get(end + 1), None | Some(b' ' | b'\n'));
        if !(starts_well && colon && closed && length <= MAX_KEY) {
            return None;
        }
        self.at = end + 1;
        Some((self.source[start..end].into(), self.span(start, end)))
    }

    fn value(&mut self, indent: usize, depth: usize) -> Option<Node<'a>> {
        let colon = self.at;
        self.skip_spaces();
        match self.peek() {
            None | Some(b'\n') => {
                self.finish_line()?;
                self.block(colon, indent, depth)
            }
            Some(b'|' | b'>') => self.block_scalar(indent),
            Some(b'[') => {
                let node = self.flow_sequence()?;
                self.ends_before_deeper_line(indent)?;
                Some(node)
            }
            Some(_) => {
                let node = self.inline_scalar(indent)?;
                self.ends_before_deeper_line(indent)?;
                Some(node)
            }
        }
    }

    /// A one-line value must not go on in a deeper line: that is a multi-line scalar.
    fn ends_before_deeper_line(&mut self, indent: usize) -> Option<()> {
        self.skip_blank_lines();
        (self.at_end() || self.indent() <= indent).then_some(())
    }

    /// Reads what follows `key:` at the end of a line: a mapping, a list or nothing.
    fn block(&mut self, colon: usize, indent: usize, depth: usize) -> Option<Node<'a>> {
        self.skip_blank_lines();
        let here = self.indent();
        let is_item = !self.at_end()
            && self.bytes[self.at + here] == b'-'
            && self.bytes.get(self.at + here + 1) == Some(&b' ');
        if !self.at_end() && is_item && here >= indent {
            return self.sequence(here);
        }
        if !self.at_end() && here > indent {
            let start = self.at + here;
            let mapping = self.mapping(here, depth + 1)?;
            return Some(self.collection(start, mapping));
        }
        self.scalar(colon, colon, "".into(), ScalarStyle::Plain)
    }

    /// Reads `- item` lines that stand at exactly `indent` columns.
    fn sequence(&mut self, indent: usize) -> Option<Node<'a>> {
        self.count()?;
        let start = self.at + indent;
        let mut items: Vec<Node<'a>> = Vec::new();
        loop {
            self.at += indent + 1;
            self.skip_spaces();
            if matches!(self.peek(), None | Some(b'\n')) {
                return None;
            }
            items.push(self.inline_scalar(indent)?);
            self.skip_blank_lines();
            let here = self.indent();
            let more =
                !self.at_end() && here == indent && self.bytes[self.at + here..].starts_with(b"- ");
            if more {
                continue;
            }
            if !self.at_end() && (here > indent || self.bytes[self.at + here] == b'-') {
                return None;
            }
            let end = items.last().map_or(0, |last| last.span.end);
            return Some(Node {
                span: Span::new(self.offset + start, end),
                value: Value::Sequence(items),
            });
        }
    }
}

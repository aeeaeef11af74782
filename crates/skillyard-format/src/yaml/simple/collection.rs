//! Mappings and lists of the fast reader.

use std::borrow::Cow;

use super::super::{Entry, MAX_DEPTH, Mapping, Node, ScalarStyle, Value};
use super::Reader;
use crate::span::Span;

/// Longest key that is read here; libyaml's own limit is 1,024 characters.
const MAX_KEY: usize = 100;

/// Whether a key may hold this byte.
const IN_KEY: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    loop {
        table[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        if byte == u8::MAX {
            break table;
        }
        byte += 1;
    }
};

impl<'a> Reader<'a> {
    pub(super) fn collection(&self, start: usize, mapping: Mapping<'a>) -> Node<'a> {
        let end = mapping.entries.last().map_or(0, |last| last.value.span.end);
        Node {
            span: Span::new(self.offset + start, end),
            value: Value::Mapping(mapping),
        }
    }

    /// Reads the entries that stand at exactly `indent` columns; `at` is the start of a line.
    pub(super) fn mapping(&mut self, indent: usize, depth: usize) -> Option<Mapping<'a>> {
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

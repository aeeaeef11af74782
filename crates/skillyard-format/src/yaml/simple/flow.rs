//! `[a, b]` on one line, for the fast reader.

use super::super::{Flow, Node, ScalarStyle, Value};
use super::Reader;

impl<'a> Reader<'a> {
    /// Reads `[a, b]` of simple items on one line.
    pub(super) fn flow_sequence(&mut self) -> Option<Node<'a>> {
        self.count()?;
        let start = self.at;
        let mut items = Vec::new();
        self.at += 1;
        self.skip_spaces();
        if self.peek()? == b']' {
            self.at += 1;
        } else {
            loop {
                items.push(self.flow_item()?);
                self.skip_spaces();
                let separator = self.peek()?;
                self.at += 1;
                match separator {
                    b',' => self.skip_spaces(),
                    b']' => break,
                    _ => return None,
                }
            }
        }
        let span = self.span(start, self.at);
        self.flow.get_or_insert(Flow {
            span: self.span(start, start + 1),
            mapping: false,
        });
        self.finish_line()?;
        Some(Node {
            span,
            value: Value::Sequence(items),
        })
    }

    fn flow_item(&mut self) -> Option<Node<'a>> {
        let start = self.at;
        if matches!(self.peek()?, b'\'' | b'"') {
            let text = self.quoted()?;
            return self.scalar(start, self.at, text, ScalarStyle::Quoted);
        }
        let length = self.bytes[start..]
            .iter()
            .take_while(|byte| {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b' ' | b'_' | b'-' | b'.' | b'/' | b'+')
                    || !byte.is_ascii()
            })
            .count();
        let text = self.source[start..start + length].trim_end_matches(' ');
        let first = *text.as_bytes().first()?;
        if first.is_ascii() && !first.is_ascii_alphanumeric() {
            return None;
        }
        let end = start + text.len();
        self.at = start + length;
        self.scalar(start, end, text.into(), ScalarStyle::Plain)
    }
}

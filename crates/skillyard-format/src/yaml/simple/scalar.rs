//! Plain, quoted and block scalars of the fast reader.

use std::borrow::Cow;

use super::super::{Node, ScalarStyle};
use super::Reader;
use crate::text::any_byte;

impl<'a> Reader<'a> {
    /// Reads a scalar that goes on until a line that is not deeper than `parent`.
    pub(super) fn inline_scalar(&mut self, parent: usize) -> Option<Node<'a>> {
        let start = self.at;
        match self.peek()? {
            b'\'' | b'"' => {
                let text = self.quoted()?;
                let end = self.at;
                self.finish_line()?;
                self.scalar(start, end, text, ScalarStyle::Quoted)
            }
            first if starts_plain(first) => {
                let line = self.plain_line()?;
                let mut end = start + line.len();
                let mut text = Cow::Borrowed(line);
                while let Some(breaks) = self.continuation(parent) {
                    self.skip_spaces();
                    let start = self.at;
                    let line = self.plain_line().filter(|line| !line.starts_with('#'))?;
                    let text = text.to_mut();
                    fold(text, breaks);
                    text.push_str(line);
                    end = start + line.len();
                }
                self.scalar(start, end, text, ScalarStyle::Plain)
            }
            _ => None,
        }
    }

    /// The rest of this line as a piece of a plain scalar; leaves `at` on the next line.
    fn plain_line(&mut self) -> Option<&'a str> {
        let line_end = self.line_end();
        let line = &self.bytes[self.at..line_end];
        let spaces = line.iter().rev().take_while(|byte| **byte == b' ').count();
        let text = &self.source[self.at..line_end - spaces];
        self.at = (line_end + 1).min(self.bytes.len());
        is_safe_plain(text).then_some(text)
    }

    /// The number of blank lines before the next line, if that is deeper than `parent`.
    fn continuation(&mut self, parent: usize) -> Option<usize> {
        let before = self.at;
        self.skip_blank_lines();
        if self.at_end() || self.indent() <= parent {
            return None;
        }
        let skipped = &self.bytes[before..self.at];
        Some(memchr::memchr_iter(b'\n', skipped).count())
    }

    /// Reads a quoted scalar and leaves `at` behind it.
    pub(super) fn quoted(&mut self) -> Option<Cow<'a, str>> {
        let quote = self.peek()?;
        let start = self.at + 1;
        let stop = memchr::memchr3(quote, b'\\', b'\n', &self.bytes[start..])?;
        let end = start + stop;
        // Nearly always the text ends at the next quote and needs nothing undone.
        if self.bytes[end] == quote && self.bytes.get(end + 1) != Some(&quote) {
            self.at = end + 1;
            return Some(Cow::Borrowed(&self.source[start..end]));
        }
        self.unquoted(quote).map(Cow::Owned)
    }

    /// Reads a quoted scalar that goes on over lines, or holds escapes.
    fn unquoted(&mut self, quote: u8) -> Option<String> {
        let rest = &self.bytes[self.at + 1..];
        let mut text = String::with_capacity(memchr::memchr(quote, rest)?);
        // Spaces before a line break are dropped, unless an escape wrote them.
        let mut escaped = 0;
        let mut at = self.at + 1;
        loop {
            let stop = memchr::memchr3(quote, b'\\', b'\n', &self.bytes[at..])?;
            text.push_str(&self.source[at..at + stop]);
            at += stop;
            match (self.bytes[at], self.bytes.get(at + 1)) {
                (b'\n', _) => {
                    let kept = text[escaped..].trim_end_matches(' ').len();
                    text.truncate(escaped + kept);
                    let (next, breaks) = self.next_text(at + 1)?;
                    fold(&mut text, breaks);
                    at = next;
                }
                (b'\'', Some(b'\'')) if quote == b'\'' => {
                    text.push('\'');
                    at += 2;
                }
                (found, _) if found == quote => {
                    self.at = at + 1;
                    return Some(text);
                }
                (_, _) if quote == b'\'' => {
                    text.push('\\');
                    at += 1;
                }
                (_, Some(sign)) => {
                    text.push(match sign {
                        b'"' => '"',
                        b'\\' => '\\',
                        b'/' => '/',
                        b'n' => '\n',
                        b't' => '\t',
                        _ => return None,
                    });
                    escaped = text.len();
                    at += 2;
                }
                (_, None) => return None,
            }
        }
    }

    /// Where the text goes on behind a line break, and how many blank lines lie between.
    fn next_text(&self, mut at: usize) -> Option<(usize, usize)> {
        let mut breaks = 0;
        loop {
            let rest = &self.bytes[at..];
            // A document marker ends the document even inside quotes.
            if rest.starts_with(b"---") || rest.starts_with(b"...") {
                return None;
            }
            let spaces = rest.iter().take_while(|byte| **byte == b' ').count();
            match rest.get(spaces)? {
                b'\n' => breaks += 1,
                _ => return Some((at + spaces, breaks)),
            }
            at += spaces + 1;
        }
    }

    /// Reads a `|` or `>` scalar whose lines are all indented alike.
    pub(super) fn block_scalar(&mut self, parent: usize) -> Option<Node<'a>> {
        // How a block ends at the end of a text without a line break is libyaml's to say.
        if !self.source.ends_with('\n') {
            return None;
        }
        let start = self.at;
        let folded = self.bytes[self.at] == b'>';
        self.at += 1;
        let strip = self.peek() == Some(b'-');
        if strip {
            self.at += 1;
        }
        self.finish_line()?;

        // A description has a few hundred characters.
        let mut text = String::with_capacity(256);
        let mut indent = None;
        let mut blank = 0;
        while !self.at_end() {
            let here = self.indent();
            let line_end = self.line_end();
            let is_blank = self.at + here == line_end;
            let next = (line_end + 1).min(self.bytes.len());
            if is_blank {
                // Spaces beyond the indentation are content; leave those to libyaml.
                if here > indent.unwrap_or(0) {
                    return None;
                }
                blank += 1;
                self.at = next;
                continue;
            }
            let columns = *indent.get_or_insert(here);
            if here <= parent {
                break;
            }
            if here != columns {
                return None;
            }
            if !text.is_empty() {
                // In folded style one line break is a space and n + 1 are n.
                if folded && blank == 0 {
                    text.push(' ');
                } else if !folded {
                    text.push('\n');
                }
            }
            text.extend(std::iter::repeat_n('\n', blank));
            blank = 0;
            text.push_str(&self.source[self.at + here..line_end]);
            self.at = next;
        }
        if text.is_empty() {
            return None;
        }
        if !strip {
            text.push('\n');
        }
        let end = self.at;
        self.scalar(start, end, text.into(), ScalarStyle::Block)
    }
}

/// Joins two lines: a line break is a space, and each blank line between a line break.
fn fold(text: &mut String, blank_lines: usize) {
    if blank_lines == 0 {
        text.push(' ');
    } else {
        text.extend(std::iter::repeat_n('\n', blank_lines));
    }
}

/// Whether a plain scalar may start with this byte, whatever follows.
fn starts_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || !byte.is_ascii()
        || matches!(
            byte,
            b'/' | b'(' | b'.' | b'$' | b'_' | b'~' | b'+' | b'<' | b'=' | b'^'
        )
}

/// Whether a line is a whole plain scalar: no `: `, no ` #`, no colon at its end.
fn is_safe_plain(text: &str) -> bool {
    // Most have neither sign.
    if !any_byte(text, |byte| byte == b':' || byte == b'#') {
        return true;
    }
    let bytes = text.as_bytes();
    memchr::memchr2_iter(b':', b'#', bytes).all(|at| match bytes[at] {
        b':' => !matches!(bytes.get(at + 1), None | Some(b' ')),
        _ => at == 0 || bytes[at - 1] != b' ',
    })
}

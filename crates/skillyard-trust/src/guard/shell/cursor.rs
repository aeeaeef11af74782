//! A place in shell text.

use super::ShellProblem;

/// Reads characters one after the other.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.at]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Passes over `text` if it comes next.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    /// Everything up to `end`, which is passed over too.
    pub(super) fn until(&mut self, end: char, what: &'static str) -> Result<&'a str, ShellProblem> {
        let rest = self.rest();
        let length = rest.find(end).ok_or(ShellProblem::Unterminated(what))?;
        self.at += length + end.len_utf8();
        Ok(&rest[..length])
    }

    /// The next line without its end, which is passed over too; `None` at the end of the text.
    pub(super) fn line(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        let length = rest.find('\n').unwrap_or(rest.len());
        self.at += (length + 1).min(rest.len());
        Some(&rest[..length])
    }
}

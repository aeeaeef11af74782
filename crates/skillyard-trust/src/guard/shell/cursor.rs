//! A place in shell text, which counts the characters that are looked at.

use std::cell::Cell;

use super::ShellProblem;

/// Reads characters one after the other.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    steps: Cell<usize>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            steps: Cell::new(0),
        }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// How many characters were looked at so far.
    pub(super) fn steps(&self) -> usize {
        self.steps.get()
    }

    /// Counts characters that somebody else looked at.
    pub(super) fn look(&self, steps: usize) {
        self.steps.set(self.steps.get() + steps);
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.at]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.look(1);
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Passes over `text` if it comes next.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        self.look(text.len());
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    /// Everything up to `end`, which is passed over too.
    pub(super) fn until(&mut self, end: char, what: &'static str) -> Result<&'a str, ShellProblem> {
        let rest = self.rest();
        let length = rest.find(end);
        self.look(length.unwrap_or(rest.len()));
        let length = length.ok_or(ShellProblem::Unterminated(what))?;
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
        self.look(length);
        self.at += (length + 1).min(rest.len());
        Some(&rest[..length])
    }
}

//! Redirections: which files a command opens, and for what.

use super::parse::Reader;
use super::{Access, Redirection, ShellProblem, SimpleCommand, Word};

impl Reader<'_> {
    /// The redirections of a group count as a command of their own.
    pub(super) fn redirections_after(&mut self) -> Result<(), ShellProblem> {
        let mut found = Vec::new();
        loop {
            self.blanks()?;
            if !self.redirection(&mut found)? {
                break;
            }
        }
        if !found.is_empty() {
            self.commands.push(SimpleCommand {
                redirections: found,
                ..SimpleCommand::default()
            });
        }
        if self.cursor.peek() == Some('(') || !self.at_word_end() {
            let next = self.cursor.peek().map(String::from).unwrap_or_default();
            return Err(ShellProblem::Unexpected(next));
        }
        Ok(())
    }

    pub(super) fn at_redirection(&self) -> bool {
        matches!(self.cursor.peek(), Some('<' | '>'))
    }

    /// Reads one redirection, if there is one.
    pub(super) fn redirection(
        &mut self,
        found: &mut Vec<Redirection>,
    ) -> Result<bool, ShellProblem> {
        let rest = self.cursor.rest();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let behind = &rest[digits..];
        // To some shells this is `&` and then a redirection of the next command.
        if rest.starts_with("&>") {
            return Err(ShellProblem::Unsupported("`&>`"));
        }
        if !behind.starts_with(['<', '>']) {
            return Ok(false);
        }
        self.cursor.eat(&rest[..digits]);
        if ["<(", ">(", "<>"]
            .iter()
            .any(|each| behind.starts_with(each))
        {
            return Err(ShellProblem::Unsupported(
                "a process substitution or a file for both reading and writing",
            ));
        }
        if self.cursor.eat("<<<") {
            self.blanks()?;
            self.word()?;
            return Ok(true);
        }
        if self.cursor.eat("<<") {
            let strips_tabs = self.cursor.eat("-");
            self.announce_heredoc(strips_tabs)?;
            return Ok(true);
        }
        let (access, duplicates) = if self.cursor.eat("<") {
            (Access::Read, self.cursor.eat("&"))
        } else {
            self.cursor.eat(">");
            let is_plain = !self.cursor.eat(">") && !self.cursor.eat("|");
            (Access::Write, is_plain && self.cursor.eat("&"))
        };
        self.blanks()?;
        let target = self.word()?;
        let is_descriptor = |word: &Word| {
            word.literal()
                .is_some_and(|text| text == "-" || text.parse::<u16>().is_ok())
        };
        if !(duplicates && is_descriptor(&target)) {
            found.push(Redirection { access, target });
        }
        Ok(true)
    }
}

//! Simple commands: assignments, words and redirections.

use super::parse::Reader;
use super::word::is_name;
use super::{ShellProblem, SimpleCommand};

impl Reader<'_> {
    /// Reads assignments, words and redirections up to the end of the command.
    pub(super) fn simple(&mut self) -> Result<(), ShellProblem> {
        let unsupported = ["[[", "function", "select", "coproc"];
        if let Some(word) = self.reserved(&unsupported) {
            return Err(ShellProblem::Unexpected(word.into()));
        }
        let mut command = SimpleCommand::default();
        loop {
            self.blanks()?;
            if self.redirection(&mut command.redirections)? {
                continue;
            }
            if self.at_word_end() {
                break;
            }
            let start = self.cursor.at();
            let word = self.word()?;
            let text = self.cursor.since(start);
            // zsh ends a group here, and may go on with another.
            if matches!(text, "{" | "}") && !command.words.is_empty() {
                return Err(ShellProblem::Unexpected(text.into()));
            }
            if text.starts_with('{')
                && text.ends_with('}')
                && text.len() > 2
                && self.at_redirection()
            {
                return Err(ShellProblem::Unsupported("a redirection with a name"));
            }
            match assigned(text) {
                Some(name) if command.words.is_empty() => command.assignments.push(name.to_owned()),
                _ => command.words.push(word),
            }
        }
        if self.cursor.peek() == Some('(') {
            return Err(ShellProblem::Unsupported("a parenthesis after a word"));
        }
        if command.words.is_empty() && command.assignments.is_empty() {
            if !command.redirections.is_empty() {
                return Err(ShellProblem::Unsupported("a redirection without a command"));
            }
            let next = self.cursor.peek().map(String::from).unwrap_or_default();
            return Err(ShellProblem::Unexpected(next));
        }
        self.commands.push(command);
        Ok(())
    }
}

/// The name that a word assigns, if it is an assignment.
fn assigned(text: &str) -> Option<&str> {
    let end = text.find(['=', '[', '+'])?;
    let (name, rest) = text.split_at(end);
    let is_assignment = rest.starts_with('=')
        || rest.starts_with("+=")
        || (rest.starts_with('[') && rest.contains('='));
    (is_assignment && is_name(name)).then_some(name)
}

//! Pipelines, lists, groups and loops.

use std::cell::Cell;

use crate::guard::shell::command::Compound;
use crate::guard::shell::heredoc::Heredoc;
use crate::guard::shell::word::is_deceptive;
use crate::guard::shell::{MAX_BYTES, MAX_DEPTH, ShellProblem, SimpleCommand};

/// Every simple command in `text`, in order.
pub(crate) fn read(text: &str) -> Result<Vec<SimpleCommand>, ShellProblem> {
    if text.len() > MAX_BYTES {
        return Err(ShellProblem(format!(
            "the command has {} bytes, and at most {MAX_BYTES} are read",
            text.len()
        )));
    }
    if let Some(c) = text.chars().find(|c| is_deceptive(*c)) {
        return Err(ShellProblem::character(c));
    }
    let (commands, _) = counted(text);
    commands
}

/// The commands, and how many characters were looked at to find them.
fn counted(text: &str) -> (Result<Vec<SimpleCommand>, ShellProblem>, usize) {
    let mut reader = ShellReader {
        cursor: Cursor::new(text),
        commands: Vec::new(),
        heredocs: Vec::new(),
        substitutions: 0,
        depth: 0,
    };
    let result = reader.whole();
    let steps = reader.cursor.steps();
    (result.map(|()| reader.commands), steps)
}

/// Reads commands and collects them.
#[derive(Debug)]
pub(super) struct ShellReader<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) commands: Vec<SimpleCommand>,
    pub(super) heredocs: Vec<Heredoc>,
    pub(super) substitutions: usize,
    depth: usize,
}

/// What a list ended with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ListEnd {
    Text,
    Parenthesis,
    /// `;;`, `;&` or `;;&`.
    CaseItem,
    Reserved(&'static str),
}

/// Words that end a list, or begin what is not read.
const CLOSING: [&str; 8] = ["then", "else", "elif", "fi", "do", "done", "esac", "}"];

impl ShellReader<'_> {
    /// A reader for text inside this one.
    pub(super) fn inside<'b>(&self, text: &'b str) -> ShellReader<'b> {
        ShellReader {
            cursor: Cursor::new(text),
            commands: Vec::new(),
            heredocs: Vec::new(),
            substitutions: self.substitutions + 1,
            depth: self.depth,
        }
    }

    /// Reads everything to the end of the text.
    fn whole(&mut self) -> Result<(), ShellProblem> {
        match self.list()? {
            ListEnd::Text if self.heredocs.is_empty() => Ok(()),
            ListEnd::Text => Err(ShellProblem::unterminated("a here-document")),
            ListEnd::Parenthesis => Err(ShellProblem::unexpected(")")),
            ListEnd::CaseItem => Err(ShellProblem::unexpected(";;")),
            ListEnd::Reserved(word) => Err(ShellProblem::unexpected(word)),
        }
    }

    /// Reads `text`, which stands in backticks.
    pub(super) fn nested(&mut self, text: &str) -> Result<(), ShellProblem> {
        self.deeper(|reader| {
            let mut inner = reader.inside(text);
            let result = inner.whole();
            reader.cursor.look(inner.cursor.steps());
            result?;
            reader.commands.append(&mut inner.commands);
            Ok(())
        })
    }

    /// Reads what follows `$(`.
    pub(super) fn substitution(&mut self) -> Result<(), ShellProblem> {
        let waiting = std::mem::take(&mut self.heredocs);
        let start = self.cursor.at();
        self.substitutions += 1;
        let end = self.deeper(Self::list);
        self.substitutions -= 1;
        if end? != ListEnd::Parenthesis {
            return Err(ShellProblem::unterminated("a substitution"));
        }
        if !self.heredocs.is_empty() {
            return Err(ShellProblem::unterminated("a here-document"));
        }
        self.heredocs = waiting;
        self.refuse_newline_before_heredoc(self.cursor.since(start))
    }

    pub(super) fn deeper<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, ShellProblem>,
    ) -> Result<T, ShellProblem> {
        if self.depth == MAX_DEPTH {
            return Err(ShellProblem(format!(
                "the command is nested more than {MAX_DEPTH} deep"
            )));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Reads commands until something ends their list.
    pub(super) fn list(&mut self) -> Result<ListEnd, ShellProblem> {
        loop {
            self.newlines()?;
            if self.cursor.peek().is_none() {
                return Ok(ListEnd::Text);
            }
            if self.cursor.eat(")") {
                return Ok(ListEnd::Parenthesis);
            }
            if self.case_item_ends() {
                return Ok(ListEnd::CaseItem);
            }
            if let Some(word) = self.reserved(&CLOSING) {
                return Ok(ListEnd::Reserved(word));
            }
            self.command()?;
            self.blanks()?;
            match self.cursor.peek() {
                None | Some(')' | '\n') => {}
                Some(';') if self.cursor.rest().starts_with(";;") => {}
                Some(';') if self.cursor.rest().starts_with(";&") => {}
                Some(';') => {
                    self.cursor.next();
                }
                Some('&' | '|') => self.joiner()?,
                Some(c) => return Err(ShellProblem::unexpected(c)),
            }
        }
    }

    fn case_item_ends(&mut self) -> bool {
        self.cursor.eat(";;&") || self.cursor.eat(";;") || self.cursor.eat(";&")
    }

    /// `&&`, `||`, `|`, `|&` and `&`: one more command follows.
    fn joiner(&mut self) -> Result<(), ShellProblem> {
        let is_background = !["&&", "||", "|&", "|"]
            .iter()
            .any(|joiner| self.cursor.eat(joiner));
        if is_background {
            self.cursor.next();
        }
        // `&\` and a new line may go on as `&&`.
        if self.cursor.rest().starts_with("\\\n") {
            return Err(ShellProblem::unsupported(
                "a line that goes on inside an operator",
            ));
        }
        if is_background {
            return Ok(());
        }
        self.newlines()?;
        match self.cursor.peek() {
            None => Err(ShellProblem::unterminated("a list of commands")),
            Some(c @ (')' | ';' | '&' | '|')) => Err(ShellProblem::unexpected(c)),
            Some(_) => Ok(()),
        }
    }

    /// Reads one command of any kind.
    fn command(&mut self) -> Result<(), ShellProblem> {
        while self.reserved(&["!"]).is_some() {
            self.blanks()?;
        }
        if self.cursor.rest().starts_with("((") {
            return Err(ShellProblem::unsupported("an arithmetic command"));
        }
        if self.cursor.eat("(") {
            let before = self.commands.len();
            if self.deeper(Self::list)? != ListEnd::Parenthesis {
                return Err(ShellProblem::unterminated("a subshell"));
            }
            // zsh reads `()` as a function without a name.
            if self.commands.len() == before {
                return Err(ShellProblem::unexpected(")"));
            }
            return self.redirections_after();
        }
        match self.compound()? {
            Compound::Read => self.redirections_after(),
            Compound::None => self.simple(),
        }
    }
}

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

    /// Counts characters that another reader looked at.
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

    /// Everything up to `end`, which is skipped too.
    pub(super) fn until(&mut self, end: char, what: &'static str) -> Result<&'a str, ShellProblem> {
        let rest = self.rest();
        let length = rest.find(end);
        self.look(length.unwrap_or(rest.len()));
        let length = length.ok_or_else(|| ShellProblem::unterminated(what))?;
        self.at += length + end.len_utf8();
        Ok(&rest[..length])
    }

    /// The next line without its end, which is skipped too; `None` at the end of the text.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_grows_with_the_length_and_no_faster() {
        // Texts that make other parsers try again and again.
        for piece in [
            "(",
            "{",
            "$(",
            "\"",
            "'",
            "`",
            "\\",
            "<<A ",
            "{a",
            "a=",
            "if ",
            "case ",
            "#",
            "!",
            "((",
            "[",
            "*",
            "${",
            "a|",
            "a&&",
            "a;",
            "a\n",
            "a {b",
            "${a} ",
            "<<A\n",
            "> a ",
            "for a in b; do c; done;",
            "if a; then b; fi;",
            "$(a)",
            "`a`",
            "\"$(a)\" ",
            "# a\n",
            "a \\\n ",
        ] {
            let steps = |length: usize| counted(&piece.repeat(length / piece.len())).1;
            let (half, whole) = (steps(100_000), steps(200_000));
            assert!(
                half > 0 && whole <= half * 2 + 200,
                "{piece:?}: {half}, {whole}"
            );
            assert!(whole < 200_000 * 40, "{piece:?}: {whole} for 200,000 bytes");
        }
    }
}

//! Simple and compound commands, and their redirections.

use crate::guard::shell::parse::{ListEnd, ShellReader};
use crate::guard::shell::word::is_name;
use crate::guard::shell::{FileAccess, Redirection, ShellProblem, SimpleCommand, Word};

/// Whether what stands here has commands inside it.
pub(super) enum Compound {
    /// It had, and they were read.
    Read,
    /// It is a simple command.
    None,
}

impl ShellReader<'_> {
    /// Reads a group, a condition or a loop, if one begins here.
    pub(super) fn compound(&mut self) -> Result<Compound, ShellProblem> {
        let opening = ["{", "if", "while", "until", "for", "case"];
        let Some(word) = self.reserved(&opening) else {
            return Ok(Compound::None);
        };
        self.deeper(|reader| match word {
            "{" => reader.ends_with("}"),
            "if" => reader.condition(),
            "for" => reader.each(),
            "case" => reader.case(),
            _ => {
                reader.ends_with("do")?;
                reader.ends_with("done")
            }
        })?;
        Ok(Compound::Read)
    }

    fn ends_with(&mut self, word: &'static str) -> Result<(), ShellProblem> {
        match self.list()? {
            ListEnd::Reserved(found) if found == word => Ok(()),
            ListEnd::Reserved(found) => Err(ShellProblem::unexpected(found)),
            _ => Err(ShellProblem::unterminated("a group, loop or condition")),
        }
    }

    fn condition(&mut self) -> Result<(), ShellProblem> {
        self.ends_with("then")?;
        loop {
            match self.list()? {
                ListEnd::Reserved("fi") => return Ok(()),
                ListEnd::Reserved("elif") => self.ends_with("then")?,
                ListEnd::Reserved("else") => return self.ends_with("fi"),
                _ => return Err(ShellProblem::unterminated("a condition")),
            }
        }
    }

    fn each(&mut self) -> Result<(), ShellProblem> {
        self.blanks()?;
        let name = self.word()?;
        let name = name.literal().unwrap_or_default();
        if !is_harmless_variable(name) {
            return Err(ShellProblem(format!(
                "the loop variable `{name}` may change how programs are found or behave"
            )));
        }
        self.newlines()?;
        if self.reserved(&["in"]).is_some() {
            self.blanks()?;
            while !self.at_word_end() {
                self.word()?;
                self.blanks()?;
            }
        }
        self.blanks()?;
        if !self.cursor.eat(";") && self.cursor.peek() != Some('\n') {
            return Err(ShellProblem::unsupported(
                "a loop that is not `for … in …;`",
            ));
        }
        self.newlines()?;
        if self.reserved(&["do"]).is_none() {
            return Err(ShellProblem::unsupported(
                "a loop that is not `for … in …;`",
            ));
        }
        self.ends_with("done")
    }

    fn case(&mut self) -> Result<(), ShellProblem> {
        // Older shells take its `)` for the end of the substitution.
        if self.substitutions > 0 {
            return Err(ShellProblem::unsupported("`case` inside a substitution"));
        }
        self.blanks()?;
        self.word()?;
        self.newlines()?;
        if self.reserved(&["in"]).is_none() {
            return Err(ShellProblem::unterminated("`case`"));
        }
        loop {
            self.newlines()?;
            if self.reserved(&["esac"]).is_some() {
                return Ok(());
            }
            self.cursor.eat("(");
            loop {
                self.blanks()?;
                self.word()?;
                self.blanks()?;
                if self.cursor.eat(")") {
                    break;
                }
                if !self.cursor.eat("|") {
                    return Err(ShellProblem::unterminated("`case`"));
                }
            }
            match self.list()? {
                ListEnd::CaseItem => {}
                ListEnd::Reserved("esac") => return Ok(()),
                _ => return Err(ShellProblem::unterminated("`case`")),
            }
        }
    }
}

/// Whether a loop may set the variable: small letters, and none that zsh ties to a setting.
fn is_harmless_variable(name: &str) -> bool {
    is_name(name)
        && name != "_"
        && !name.chars().any(|c| c.is_ascii_uppercase())
        && !name.ends_with("path")
        && !name.ends_with("_proxy")
        && !matches!(
            name,
            "argv" | "prompt" | "status" | "histchars" | "signals" | "watch"
        )
}

impl ShellReader<'_> {
    /// Reads assignments, words and redirections up to the end of the command.
    pub(super) fn simple(&mut self) -> Result<(), ShellProblem> {
        let unsupported = ["[[", "function", "select", "coproc"];
        if let Some(word) = self.reserved(&unsupported) {
            return Err(ShellProblem::unexpected(word));
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
                return Err(ShellProblem::unexpected(text));
            }
            if text.starts_with('{')
                && text.ends_with('}')
                && text.len() > 2
                && self.at_redirection()
            {
                return Err(ShellProblem::unsupported("a redirection with a name"));
            }
            match assigned(text) {
                Some(name) if command.words.is_empty() => command.assignments.push(name.to_owned()),
                _ => command.words.push(word),
            }
        }
        if self.cursor.peek() == Some('(') {
            return Err(ShellProblem::unsupported("a parenthesis after a word"));
        }
        if command.words.is_empty() && command.assignments.is_empty() {
            if !command.redirections.is_empty() {
                return Err(ShellProblem::unsupported("a redirection without a command"));
            }
            let next = self.cursor.peek().map(String::from).unwrap_or_default();
            return Err(ShellProblem::unexpected(next));
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

impl ShellReader<'_> {
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
            return Err(ShellProblem::unexpected(next));
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
            return Err(ShellProblem::unsupported("`&>`"));
        }
        if !behind.starts_with(['<', '>']) {
            return Ok(false);
        }
        self.cursor.eat(&rest[..digits]);
        if ["<(", ">(", "<>"]
            .iter()
            .any(|each| behind.starts_with(each))
        {
            return Err(ShellProblem::unsupported(
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
            (FileAccess::Read, self.cursor.eat("&"))
        } else {
            self.cursor.eat(">");
            let is_plain = !self.cursor.eat(">") && !self.cursor.eat("|");
            (FileAccess::Write, is_plain && self.cursor.eat("&"))
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

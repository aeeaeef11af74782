//! Groups, conditions, loops and `case`: what has commands inside it.

use super::ShellProblem;
use super::parse::{End, Reader};
use super::word::is_name;

/// Whether what stands here has commands inside it.
pub(super) enum Compound {
    /// It had, and they were read.
    Read,
    /// It is a simple command.
    None,
}

impl Reader<'_> {
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
            End::Reserved(found) if found == word => Ok(()),
            End::Reserved(found) => Err(ShellProblem::Unexpected(found.into())),
            _ => Err(ShellProblem::Unterminated("a group, loop or condition")),
        }
    }

    fn condition(&mut self) -> Result<(), ShellProblem> {
        self.ends_with("then")?;
        loop {
            match self.list()? {
                End::Reserved("fi") => return Ok(()),
                End::Reserved("elif") => self.ends_with("then")?,
                End::Reserved("else") => return self.ends_with("fi"),
                _ => return Err(ShellProblem::Unterminated("a condition")),
            }
        }
    }

    fn each(&mut self) -> Result<(), ShellProblem> {
        self.blanks()?;
        let name = self.word()?;
        let name = name.literal().unwrap_or_default();
        if !is_harmless_variable(name) {
            return Err(ShellProblem::LoopVariable(name.to_owned()));
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
            return Err(ShellProblem::Unsupported(
                "a loop that is not `for … in …;`",
            ));
        }
        self.newlines()?;
        if self.reserved(&["do"]).is_none() {
            return Err(ShellProblem::Unsupported(
                "a loop that is not `for … in …;`",
            ));
        }
        self.ends_with("done")
    }

    fn case(&mut self) -> Result<(), ShellProblem> {
        // Older shells take its `)` for the end of the substitution.
        if self.substitutions > 0 {
            return Err(ShellProblem::Unsupported("`case` inside a substitution"));
        }
        self.blanks()?;
        self.word()?;
        self.newlines()?;
        if self.reserved(&["in"]).is_none() {
            return Err(ShellProblem::Unterminated("`case`"));
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
                    return Err(ShellProblem::Unterminated("`case`"));
                }
            }
            match self.list()? {
                End::CaseItem => {}
                End::Reserved("esac") => return Ok(()),
                _ => return Err(ShellProblem::Unterminated("`case`")),
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

//! Expansions and substitutions: what follows a `$` or a backtick.

use super::parse::Reader;
use super::word::{Draft, is_name, is_name_part, is_name_start};
use super::{ShellProblem, Splits};

impl Reader<'_> {
    /// Reads what follows a `$`.
    pub(super) fn dollar(&mut self, draft: &mut Draft, splits: Splits) -> Result<(), ShellProblem> {
        let quoted = splits == Splits::Never;
        match self.cursor.peek() {
            Some('(') => {
                self.cursor.next();
                if self.cursor.eat("(") {
                    self.arithmetic()?;
                } else {
                    self.substitution()?;
                }
            }
            Some('{') => {
                self.cursor.next();
                let name = self.cursor.until('}', "an expansion")?;
                if !is_name(name) && !is_special(name) {
                    return Err(ShellProblem::Unsupported(
                        "an expansion that is more than a name",
                    ));
                }
                self.refuse_subscript()?;
            }
            Some(c) if is_name_start(c) => {
                while self.cursor.peek().is_some_and(is_name_part) {
                    self.cursor.next();
                }
                self.refuse_subscript()?;
            }
            Some('@' | '*') => {
                self.cursor.next();
                self.refuse_subscript()?;
                // `"$@"` becomes many words even in quotes.
                draft.open(Splits::Maybe);
                return Ok(());
            }
            Some(c) if c.is_ascii_digit() || matches!(c, '?' | '#' | '$' | '!') => {
                self.cursor.next();
                self.refuse_subscript()?;
            }
            Some('\'' | '"') if !quoted => {
                return Err(ShellProblem::Unsupported("a `$` before a quote"));
            }
            // A lone `$`, as at the end of a search pattern.
            Some(' ' | '\t' | '\n' | '"') | None => {
                draft.push('$');
                return Ok(());
            }
            Some(_) => {
                return Err(ShellProblem::Unsupported(
                    "an expansion that is more than a name",
                ));
            }
        }
        draft.open(splits);
        Ok(())
    }

    /// `$name[…]` in zsh runs what stands in the brackets.
    fn refuse_subscript(&self) -> Result<(), ShellProblem> {
        match self.cursor.peek() {
            Some('[' | ':') => Err(ShellProblem::Unsupported(
                "an expansion that is more than a name",
            )),
            _ => Ok(()),
        }
    }

    /// Names in arithmetic are evaluated again, and may then run commands: only numbers are read.
    fn arithmetic(&mut self) -> Result<(), ShellProblem> {
        let mut depth = 0_usize;
        loop {
            match self.cursor.next() {
                Some('(') => depth += 1,
                Some(')') if depth > 0 => depth -= 1,
                Some(')') if self.cursor.eat(")") => return Ok(()),
                Some(c) if c.is_ascii_digit() || " +-*/%<>=!&|^~?:".contains(c) => {}
                None => return Err(ShellProblem::Unterminated("arithmetic")),
                Some(_) => {
                    return Err(ShellProblem::Unsupported(
                        "arithmetic with more than numbers",
                    ));
                }
            }
        }
    }

    /// Reads what follows a backtick.
    pub(super) fn backticks(&mut self) -> Result<(), ShellProblem> {
        let text = self.cursor.until('`', "backticks")?;
        // Shells take quotes in here in different ways when quotes stand around it.
        if text.contains(['\\', '\'', '"']) {
            return Err(ShellProblem::Unsupported("quotes inside backticks"));
        }
        self.refuse_newline_before_heredoc(text)?;
        self.nested(text)
    }

    /// Looks for substitutions in the text of a here-document.
    pub(super) fn expand_text(&mut self, text: &str) -> Result<(), ShellProblem> {
        let mut inner = self.inside(text);
        let mut draft = Draft::default();
        let mut result = Ok(());
        while let (Ok(()), Some(c)) = (&result, inner.cursor.next()) {
            result = match c {
                '\\' => {
                    inner.cursor.next();
                    Ok(())
                }
                '$' => inner.dollar(&mut draft, Splits::Never),
                '`' => inner.backticks(),
                _ => Ok(()),
            };
        }
        self.commands.append(&mut inner.commands);
        result
    }
}

/// `$1`, `$?` and the like in braces.
fn is_special(name: &str) -> bool {
    matches!(name, "?" | "#" | "$" | "!")
        || (!name.is_empty() && name.chars().all(|c| c.is_ascii_digit()))
}

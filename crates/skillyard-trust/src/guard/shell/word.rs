//! Words, expansions and the blanks between words.

use crate::guard::shell::parse::ShellReader;
use crate::guard::shell::{ShellProblem, Splits, Word};

/// Whether text is taken as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    /// As it is.
    Literal,
    /// With expansions and substitutions.
    Expanding,
}

/// A word while it is read.
#[derive(Debug, Default)]
pub(super) struct WordBuilder {
    text: String,
    open: Option<Splits>,
    prefix: usize,
    has_brace: bool,
}

impl WordBuilder {
    /// Adds a character that is known.
    pub(super) fn push(&mut self, c: char) {
        self.text.push(c);
    }

    /// From here on the text is only known when it runs.
    pub(super) fn open(&mut self, splits: Splits) {
        match self.open {
            None => {
                self.prefix = self.text.len();
                self.open = Some(splits);
            }
            Some(Splits::Never) => self.open = Some(splits),
            Some(Splits::Maybe) => {}
        }
    }

    fn finish(mut self) -> Word {
        match self.open {
            None => Word::Literal(self.text),
            Some(splits) => {
                self.text.truncate(self.prefix);
                Word::Open {
                    prefix: self.text,
                    splits,
                }
            }
        }
    }
}

impl ShellReader<'_> {
    /// Whether a word ends here.
    pub(super) fn at_word_end(&self) -> bool {
        self.cursor.peek().is_none_or(|c| {
            matches!(
                c,
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')'
            )
        })
    }

    /// Reads a word; there must be one.
    pub(super) fn word(&mut self) -> Result<Word, ShellProblem> {
        let mut draft = WordBuilder::default();
        let start = self.cursor.at();
        while !self.at_word_end() {
            let first = self.cursor.at() == start;
            let Some(c) = self.cursor.next() else { break };
            match c {
                '\'' => {
                    let text = self.cursor.until('\'', "a quoted text")?;
                    self.refuse_newline_before_heredoc(text)?;
                    draft.text.push_str(text);
                }
                '"' => self.double_quoted(&mut draft)?,
                '\\' => match self.cursor.next() {
                    None => return Err(ShellProblem::unterminated("an escape")),
                    Some('\n') => {
                        return Err(ShellProblem::unsupported(
                            "a line that goes on inside a word",
                        ));
                    }
                    Some(c) => draft.push(c),
                },
                '$' => self.dollar(&mut draft, Splits::Maybe)?,
                '`' => {
                    self.backticks()?;
                    draft.open(Splits::Maybe);
                }
                // The command `[`, and no pattern.
                '[' if first && self.at_word_end() => draft.push(c),
                '*' | '?' | '[' => {
                    draft.open(Splits::Never);
                    draft.push(c);
                }
                '~' if first || draft.text.ends_with(['=', ':']) => draft.open(Splits::Never),
                // zsh puts the path of a program here.
                '=' if first => {
                    return Err(ShellProblem::unsupported("a word that begins with `=`"));
                }
                '{' => {
                    // The first brace looks at the whole rest of the word.
                    if !draft.has_brace {
                        let rest = self.cursor.rest();
                        self.cursor
                            .look(rest.find(char::is_whitespace).unwrap_or(rest.len()));
                        refuse_braces(rest)?;
                        draft.has_brace = true;
                    }
                    draft.push(c);
                }
                c if c.is_ascii_graphic() || c.is_alphanumeric() => draft.push(c),
                c => return Err(ShellProblem::character(c)),
            }
        }
        // `f()`, `a=(…)`, `*(…)`: functions, arrays and patterns.
        if self.cursor.peek() == Some('(') {
            return Err(ShellProblem::unsupported("a parenthesis after a word"));
        }
        if self.cursor.at() == start {
            return Err(ShellProblem::unexpected(
                self.cursor.peek().map(String::from).unwrap_or_default(),
            ));
        }
        Ok(draft.finish())
    }

    fn double_quoted(&mut self, draft: &mut WordBuilder) -> Result<(), ShellProblem> {
        loop {
            match self.cursor.next() {
                None => return Err(ShellProblem::unterminated("a quoted text")),
                Some('"') => return Ok(()),
                Some('\\') => match self.cursor.next() {
                    None => return Err(ShellProblem::unterminated("a quoted text")),
                    Some(c @ ('$' | '`' | '"' | '\\')) => draft.push(c),
                    Some('\n') => self.refuse_newline_before_heredoc("\n")?,
                    Some(c) => {
                        draft.push('\\');
                        draft.push(c);
                    }
                },
                Some('$') => self.dollar(draft, Splits::Never)?,
                Some('`') => {
                    self.backticks()?;
                    draft.open(Splits::Never);
                }
                Some(c) => {
                    if c == '\n' {
                        self.refuse_newline_before_heredoc("\n")?;
                    }
                    draft.push(c);
                }
            }
        }
    }

    /// A line that ends inside quotes is not where a here-document begins.
    pub(super) fn refuse_newline_before_heredoc(&self, text: &str) -> Result<(), ShellProblem> {
        if text.contains('\n') && !self.heredocs.is_empty() {
            return Err(ShellProblem::unsupported(
                "a line that ends in quotes before a here-document",
            ));
        }
        Ok(())
    }
}

/// `{a,b}` and `{1..3}` become many words; other braces are text.
fn refuse_braces(rest: &str) -> Result<(), ShellProblem> {
    let word = rest
        .split([' ', '\t', '\n', ';', '&', '|', '<', '>'])
        .next()
        .unwrap_or_default();
    if word.contains(',') || word.contains("..") || word.contains(['\'', '"', '\\', '$', '`']) {
        return Err(ShellProblem::unsupported("a brace expansion"));
    }
    Ok(())
}

pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(is_name_start) && text.chars().all(is_name_part)
}

pub(super) fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

pub(super) fn is_name_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

impl ShellReader<'_> {
    /// Reads what follows a `$`.
    pub(super) fn dollar(
        &mut self,
        draft: &mut WordBuilder,
        splits: Splits,
    ) -> Result<(), ShellProblem> {
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
                    return Err(ShellProblem::unsupported(
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
                return Err(ShellProblem::unsupported("a `$` before a quote"));
            }
            // A lone `$`, as at the end of a search pattern.
            Some(' ' | '\t' | '\n' | '"') | None => {
                draft.push('$');
                return Ok(());
            }
            Some(_) => {
                return Err(ShellProblem::unsupported(
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
            Some('[' | ':') => Err(ShellProblem::unsupported(
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
                None => return Err(ShellProblem::unterminated("arithmetic")),
                Some(_) => {
                    return Err(ShellProblem::unsupported(
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
            return Err(ShellProblem::unsupported("quotes inside backticks"));
        }
        self.refuse_newline_before_heredoc(text)?;
        self.nested(text)
    }

    /// Looks for substitutions in the text of a here-document.
    pub(super) fn expand_text(&mut self, text: &str) -> Result<(), ShellProblem> {
        let mut inner = self.inside(text);
        let mut draft = WordBuilder::default();
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

/// Characters that shells and people read in different ways.
pub(super) fn is_deceptive(c: char) -> bool {
    match c {
        '\n' | '\t' | ' ' => false,
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        c => c.is_control() || c.is_whitespace(),
    }
}

impl ShellReader<'_> {
    /// Passes over one of `words` where it stands alone and without quotes.
    pub(super) fn reserved(&mut self, words: &[&'static str]) -> Option<&'static str> {
        let rest = self.cursor.rest();
        let end = rest
            .find([' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')'])
            .unwrap_or(rest.len().min(16));
        self.cursor.look(end);
        let found = words.iter().find(|word| rest.get(..end) == Some(**word))?;
        self.cursor.eat(found);
        Some(found)
    }

    /// Passes over blanks, comments and lines that go on.
    pub(super) fn blanks(&mut self) -> Result<(), ShellProblem> {
        loop {
            let rest = self.cursor.rest();
            if rest.starts_with([' ', '\t']) {
                self.cursor.next();
            } else if rest.starts_with("\\\n") {
                if !self.heredocs.is_empty() || self.touches_word() {
                    return Err(ShellProblem::unsupported(
                        "a line that goes on inside a word",
                    ));
                }
                self.cursor.eat("\\\n");
            } else if rest.starts_with('#') && !self.touches_word() {
                if self.substitutions > 0 {
                    return Err(ShellProblem::unsupported("a comment inside a substitution"));
                }
                let length = rest.find('\n').unwrap_or(rest.len());
                self.cursor.eat(&rest[..length]);
            } else {
                return Ok(());
            }
        }
    }

    /// Whether what was read last could go on here.
    fn touches_word(&self) -> bool {
        let before = self.cursor.since(0).chars().next_back();
        before.is_some_and(|c| !c.is_whitespace() && !"();&|".contains(c))
    }

    /// Passes over blanks and ends of lines, and reads the here-documents below them.
    pub(super) fn newlines(&mut self) -> Result<(), ShellProblem> {
        loop {
            self.blanks()?;
            if self.cursor.peek() != Some('\n') {
                return Ok(());
            }
            self.cursor.next();
            self.read_heredocs()?;
        }
    }
}

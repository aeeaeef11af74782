//! Words and their quotes.

use super::parse::Reader;
use super::{ShellProblem, Splits, Word};

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
pub(super) struct Draft {
    text: String,
    open: Option<Splits>,
    prefix: usize,
    has_brace: bool,
}

impl Draft {
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

impl Reader<'_> {
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
        let mut draft = Draft::default();
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
                    None => return Err(ShellProblem::Unterminated("an escape")),
                    Some('\n') => {
                        return Err(ShellProblem::Unsupported(
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
                    return Err(ShellProblem::Unsupported("a word that begins with `=`"));
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
                c => return Err(ShellProblem::Character(c)),
            }
        }
        // `f()`, `a=(…)`, `*(…)`: functions, arrays and patterns.
        if self.cursor.peek() == Some('(') {
            return Err(ShellProblem::Unsupported("a parenthesis after a word"));
        }
        if self.cursor.at() == start {
            return Err(ShellProblem::Unexpected(
                self.cursor.peek().map(String::from).unwrap_or_default(),
            ));
        }
        Ok(draft.finish())
    }

    fn double_quoted(&mut self, draft: &mut Draft) -> Result<(), ShellProblem> {
        loop {
            match self.cursor.next() {
                None => return Err(ShellProblem::Unterminated("a quoted text")),
                Some('"') => return Ok(()),
                Some('\\') => match self.cursor.next() {
                    None => return Err(ShellProblem::Unterminated("a quoted text")),
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
            return Err(ShellProblem::Unsupported(
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
        return Err(ShellProblem::Unsupported("a brace expansion"));
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

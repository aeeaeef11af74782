//! Here-documents: text for a command that stands below its line.

use crate::guard::shell::ShellProblem;
use crate::guard::shell::parse::ShellReader;
use crate::guard::shell::word::Quoting;

/// A here-document that was announced and whose text is still to come.
#[derive(Debug, Clone)]
pub(super) struct Heredoc {
    delimiter: String,
    quoting: Quoting,
    strips_tabs: bool,
}

impl ShellReader<'_> {
    /// Reads what follows `<<` or `<<-`.
    pub(super) fn announce_heredoc(&mut self, strips_tabs: bool) -> Result<(), ShellProblem> {
        self.blanks()?;
        let (quote, quoting) = match self.cursor.peek() {
            Some(quote @ ('\'' | '"')) => (Some(quote), Quoting::Literal),
            _ => (None, Quoting::Expanding),
        };
        // Shells disagree where such a document ends inside a substitution, unless it is plain.
        if self.substitutions > 1 || self.substitutions == 1 && quote != Some('\'') {
            return Err(ShellProblem::unsupported(
                "a here-document inside a substitution, whose delimiter is not in single quotes",
            ));
        }
        if quote.is_some() {
            self.cursor.next();
        }
        let start = self.cursor.at();
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        while self.cursor.peek().is_some_and(is_letter) {
            self.cursor.next();
        }
        let delimiter = self.cursor.since(start).to_owned();
        let closed = quote.is_none_or(|quote| self.cursor.next() == Some(quote));
        if delimiter.is_empty() || !closed || !self.at_word_end() {
            return Err(ShellProblem::unsupported(
                "a here-document whose delimiter is not a plain word",
            ));
        }
        self.heredocs.push(Heredoc {
            delimiter,
            quoting,
            strips_tabs,
        });
        Ok(())
    }

    /// Reads the documents that were announced on the line that just ended.
    pub(super) fn read_heredocs(&mut self) -> Result<(), ShellProblem> {
        for heredoc in std::mem::take(&mut self.heredocs) {
            self.read_heredoc(&heredoc)?;
        }
        Ok(())
    }

    fn read_heredoc(&mut self, heredoc: &Heredoc) -> Result<(), ShellProblem> {
        let start = self.cursor.at();
        loop {
            let end = self.cursor.at();
            let line = self
                .cursor
                .line()
                .ok_or_else(|| ShellProblem::unterminated("a here-document"))?;
            let line = if heredoc.strips_tabs {
                line.trim_start_matches('\t')
            } else {
                line
            };
            if line == heredoc.delimiter {
                let body = &self.cursor.since(start)[..end - start];
                return match heredoc.quoting {
                    Quoting::Literal => Ok(()),
                    Quoting::Expanding => self.expand_text(body),
                };
            }
            if self.substitutions > 0 && !is_plain(line, &heredoc.delimiter) {
                return Err(ShellProblem::unsupported(
                    "a here-document inside a substitution with a quote or parenthesis that is not closed on its line, or with a backslash",
                ));
            }
            // A joined line may hide or make a delimiter.
            if heredoc.quoting == Quoting::Expanding && line.ends_with('\\') {
                return Err(ShellProblem::unsupported(
                    "a line that goes on inside a here-document",
                ));
            }
        }
    }
}

/// Whether a line is text for every shell; `delimiter` ends the document it stands in.
pub(super) fn is_plain(line: &str, delimiter: &str) -> bool {
    // `EOF)` ends the document in some shells.
    if line.trim_start_matches('\t').starts_with(delimiter) {
        return false;
    }
    // What follows a `#` may be a comment, in which nothing is counted.
    if line.contains('#') {
        return !line.contains(['\'', '"', '`', '(', ')', '\\', '{']);
    }
    let mut depth = 0_usize;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' | '`' => {
                let rest = letters.as_str();
                let Some((inside, after)) = rest.split_once(letter) else {
                    return false;
                };
                if inside.contains(['\'', '"', '`', '(', ')', '\\', '$']) {
                    return false;
                }
                letters = after.chars();
            }
            '\\' => return false,
            '$' if letters.as_str().starts_with(['{', '\'', '"']) => return false,
            '(' => depth += 1,
            ')' if depth == 0 => return false,
            ')' => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_leaves_parentheses_and_quotes_as_they_were_is_plain() {
        for line in [
            "",
            "feat(scope): \"a\" and `b`",
            "Fixes #12",
            "a <b@c.org>",
            "it costs $5",
            "a $(b) c",
        ] {
            assert!(is_plain(line, "EOF"), "{line}");
        }
        for line in [
            "don't", "a )", "(a", ")(", "EOF)", "\tEOF ", "a \\", "(a #b)", "\"(\" )", "${a",
            "'a\"' \"",
        ] {
            assert!(!is_plain(line, "EOF"), "{line}");
        }
    }
}

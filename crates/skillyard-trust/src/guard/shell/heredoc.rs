//! Here-documents: text for a command that stands below its line.

use super::ShellProblem;
use super::parse::Reader;
use super::plain_line::is_plain;
use super::word::Quoting;

/// A here-document that was announced and whose text is still to come.
#[derive(Debug, Clone)]
pub(super) struct Heredoc {
    delimiter: String,
    quoting: Quoting,
    strips_tabs: bool,
}

impl Reader<'_> {
    /// Reads what follows `<<` or `<<-`.
    pub(super) fn announce_heredoc(&mut self, strips_tabs: bool) -> Result<(), ShellProblem> {
        self.blanks()?;
        let (quote, quoting) = match self.cursor.peek() {
            Some(quote @ ('\'' | '"')) => (Some(quote), Quoting::Literal),
            _ => (None, Quoting::Expanding),
        };
        // Shells disagree where such a document ends inside a substitution, unless it is plain.
        if self.substitutions > 1 || self.substitutions == 1 && quote != Some('\'') {
            return Err(ShellProblem::Unsupported(
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
            return Err(ShellProblem::Unsupported(
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
                .ok_or(ShellProblem::Unterminated("a here-document"))?;
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
                return Err(ShellProblem::Unsupported(
                    "a here-document inside a substitution with a quote or parenthesis that is not closed on its line, or with a backslash",
                ));
            }
            // A joined line may hide or make a delimiter.
            if heredoc.quoting == Quoting::Expanding && line.ends_with('\\') {
                return Err(ShellProblem::Unsupported(
                    "a line that goes on inside a here-document",
                ));
            }
        }
    }
}

//! What stands between words: blanks, comments, ends of lines, and words that are reserved.

use super::ShellProblem;
use super::parse::Reader;

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

impl Reader<'_> {
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
                    return Err(ShellProblem::Unsupported(
                        "a line that goes on inside a word",
                    ));
                }
                self.cursor.eat("\\\n");
            } else if rest.starts_with('#') && !self.touches_word() {
                if self.substitutions > 0 {
                    return Err(ShellProblem::Unsupported("a comment inside a substitution"));
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

//! Code, taken apart into statements and comments by lexers that know strings.
//!
//! Four small lexers in one: `dialect` knows how the languages differ. They never fail; code
//! that is not what it claims to be comes out as lines.

use std::ops::Range;

use super::bytes::ByteSet;
use super::dialect::StringEnd;
use super::file::Language;

/// Most bytes of a statement; longer ones are cut.
const MAX_BYTES: usize = 8_192;

/// Bytes that mean nothing in any of the languages, and are stepped over.
static OTHERS: ByteSet = ByteSet::all_but(b"#/<\"'`\\\n;()[]{}");

/// A script or a block that was taken apart.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// Its statements and comments, in order.
    pub(crate) statements: Vec<Statement>,
    /// The pieces of source that those are made of.
    pieces: Vec<Range<usize>>,
    /// Where its strings are.
    pub(crate) strings: Vec<Range<usize>>,
}

/// A statement or a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Statement {
    /// Which pieces are its own.
    pieces: Range<usize>,
    /// Whether nothing in it runs.
    pub(crate) is_comment: bool,
}

impl Parts {
    /// The pieces of a statement, comments left out.
    pub(crate) fn pieces(&self, statement: &Statement) -> &[Range<usize>] {
        &self.pieces[statement.pieces.clone()]
    }
}

/// The statements and comments of `text[range]`.
pub(crate) fn parts(text: &str, range: Range<usize>, language: Language) -> Parts {
    let mut lexer = Lexer {
        bytes: &text.as_bytes()[..range.end],
        at: range.start,
        piece: range.start,
        depth: 0,
        braces: Vec::new(),
        language,
        first: 0,
        comments: Vec::new(),
        parts: Parts::default(),
    };
    lexer.run();
    lexer.parts
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where the piece that is being read started.
    piece: usize,
    depth: usize,
    /// The braces that are open: the depth outside of a body, or nothing for a value.
    braces: Vec<Option<usize>>,
    language: Language,
    /// The first piece of the statement that is being read.
    first: usize,
    /// The comments inside it.
    comments: Vec<Range<usize>>,
    parts: Parts,
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            let others = OTHERS.run(&self.bytes[self.at..]);
            if others > 0 {
                self.at += others;
                continue;
            }
            if let Some(end) = self.language.comment_end(self.bytes, self.at) {
                self.cut();
                self.comments.push(self.at..end);
                self.at = end;
                self.piece = end;
                continue;
            }
            match byte {
                b'"' | b'\'' | b'`' if self.language.has_strings(byte) => self.string(byte),
                b'\\' => self.at += 2,
                b'\n' => self.line_end(),
                b';' if self.language == Language::Script && self.depth == 0 => {
                    self.end();
                    self.at += 1;
                    self.piece = self.at;
                }
                _ => {
                    self.count(byte);
                    self.at += 1;
                }
            }
        }
        self.at = self.bytes.len();
        self.end();
    }

    /// Steps over a string, or over its first quote if it has no end.
    fn string(&mut self, quote: u8) {
        match self.language.string(&self.bytes[self.at..], quote) {
            StringEnd::At(length) => {
                let string = self.at..self.at + length;
                self.at = string.end;
                self.parts.strings.push(string);
            }
            StringEnd::None { width } => self.at += width,
        }
    }

    fn count(&mut self, byte: u8) {
        let braces = self.language == Language::Python;
        match byte {
            b'(' | b'[' => self.depth += 1,
            b'{' if braces => self.depth += 1,
            b')' | b']' => self.depth = self.depth.saturating_sub(1),
            b'}' if braces => self.depth = self.depth.saturating_sub(1),
            // Inside the body of a function statements end at lines again.
            b'{' if self.language == Language::JavaScript => {
                let before = self.bytes[..self.at].trim_ascii_end();
                let is_body = before.ends_with(b")") || before.ends_with(b"=>");
                self.braces.push(is_body.then_some(self.depth));
                if is_body {
                    self.depth = 0;
                }
            }
            b'}' if self.language == Language::JavaScript => {
                if let Some(Some(outside)) = self.braces.pop() {
                    self.depth = outside;
                }
            }
            _ => {}
        }
    }

    fn line_end(&mut self) {
        let line = &self.bytes[self.piece..self.at];
        let goes_on = self.language.goes_on(line, self.depth);
        let first = self.parts.pieces.get(self.first);
        let length = self.at - first.map_or(self.piece, |piece| piece.start);
        if goes_on && length < MAX_BYTES {
            self.at += 1;
        } else {
            self.depth = 0;
            self.end();
            self.at += 1;
            self.piece = self.at;
        }
    }

    /// Closes the piece that is being read.
    fn cut(&mut self) {
        let end = self.at.min(self.bytes.len());
        if !self.bytes[self.piece..end].trim_ascii().is_empty() {
            self.parts.pieces.push(self.piece..end);
        }
    }

    fn end(&mut self) {
        self.cut();
        let pieces = self.first..self.parts.pieces.len();
        if let [first, ..] = &self.parts.pieces[pieces.clone()]
            && let Some(last) = self.parts.pieces.last()
        {
            let whole = self.bytes[first.start..last.end].trim_ascii();
            // A string that nothing is done with is documentation.
            let is_comment = self.language == Language::Python
                && whole.starts_with(b"\"\"\"")
                && whole.ends_with(b"\"\"\"");
            self.parts.statements.push(Statement { pieces, is_comment });
        }
        for comment in self.comments.drain(..) {
            let at = self.parts.pieces.len();
            self.parts.pieces.push(comment);
            self.parts.statements.push(Statement {
                pieces: at..at + 1,
                is_comment: true,
            });
        }
        self.first = self.parts.pieces.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, language: Language) -> Vec<(String, bool)> {
        let parts = parts(text, 0..text.len(), language);
        let show = |each: &Statement| {
            let pieces = parts.pieces(each).iter();
            let pieces: Vec<&str> = pieces.map(|piece| text[piece.clone()].trim()).collect();
            (pieces.join("~"), each.is_comment)
        };
        parts.statements.iter().map(show).collect()
    }

    fn check(text: &str, language: Language, expected: &[(&str, bool)]) {
        let shown = shown(text, language);
        let shown: Vec<_> = shown
            .iter()
            .map(|(text, is)| (text.as_str(), *is))
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_call_over_several_lines_is_one_statement() {
        check(
            "\"\"\"Doc.\"\"\"\npost(\n  url,  # where\n  x)\ny = '#'\n",
            Language::Python,
            &[
                ("\"\"\"Doc.\"\"\"", true),
                ("post(\n  url,~x)", false),
                ("# where", true),
                ("y = '#'", false),
            ],
        );
    }

    #[test]
    fn shells_go_on_after_a_pipe_and_inside_quotes() {
        check(
            "curl x |\n sh # go\necho 'a\n# b'\nurl=a#b\n",
            Language::Shell,
            &[
                ("curl x |\n sh", false),
                ("# go", true),
                ("echo 'a\n# b'", false),
                ("url=a#b", false),
            ],
        );
    }

    #[test]
    fn scripts_have_two_kinds_of_comments() {
        check(
            "f(\"//x\") // y\n/* z\n*/ g('https://h')",
            Language::JavaScript,
            &[
                ("f(\"//x\")", false),
                ("// y", true),
                ("g('https://h')", false),
                ("/* z\n*/", true),
            ],
        );
    }

    #[test]
    fn the_body_of_a_function_has_statements_of_its_own() {
        check(
            "(function() {\n  a({\n    b: 1 })\n  c()\n})()\nd",
            Language::JavaScript,
            &[
                ("(function() {", false),
                ("a({\n    b: 1 })", false),
                ("c()", false),
                ("})()", false),
                ("d", false),
            ],
        );
    }

    #[test]
    fn quotes_without_an_end_are_characters() {
        check(
            "don't\nrun",
            Language::Python,
            &[("don't", false), ("run", false)],
        );
    }
}

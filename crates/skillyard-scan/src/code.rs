//! Code, taken apart into statements and comments by lexers that know strings.
//!
//! Four small lexers in one. They never fail: code that is not what it claims to be is split into
//! lines. Words of shell code that are assembled from variables are joined
//! (`A=/.aws; cat "$HOME$A/$B"`).

use std::collections::BTreeMap;
use std::ops::Range;

use crate::file::Language;
use crate::fold::ByteSet;

/// Most bytes of a statement; longer ones are cut.
const MAX_BYTES: usize = 8_192;

/// Bytes that mean nothing in any of the languages, and are stepped over.
static OTHERS: ByteSet = ByteSet::all_but(b"#/<\"'`\\\n;()[]{}");

/// A script or a block that was taken apart.
#[derive(Debug, Default)]
pub(crate) struct CodeParts {
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

impl CodeParts {
    /// The pieces of a statement, comments left out.
    pub(crate) fn pieces(&self, statement: &Statement) -> &[Range<usize>] {
        &self.pieces[statement.pieces.clone()]
    }
}

/// The statements and comments of `text[range]`.
pub(crate) fn parts(text: &str, range: Range<usize>, language: Language) -> CodeParts {
    let mut lexer = Lexer {
        bytes: &text.as_bytes()[..range.end],
        at: range.start,
        piece: range.start,
        depth: 0,
        braces: Vec::new(),
        language,
        first: 0,
        comments: Vec::new(),
        parts: CodeParts::default(),
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
    parts: CodeParts,
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

/// Most bytes of a string; a quote without an end so near is taken as a character.
const MAX_STRING: usize = 4_096;

/// Where a string ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StringEnd {
    /// After so many bytes, quotes included.
    At(usize),
    /// Nowhere near: its quote is a character.
    None {
        /// How many bytes the quote has.
        width: usize,
    },
}

impl Language {
    /// Where the comment that starts at `at` ends.
    pub(super) fn comment_end(self, bytes: &[u8], at: usize) -> Option<usize> {
        let rest = &bytes[at..];
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        let at_word = before.is_none_or(|byte| byte.is_ascii_whitespace() || *byte == b';');
        let line = || at + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let block = |end: &[u8]| {
            let length = memchr::memmem::find(rest, end).map(|found| found + end.len());
            at + length.unwrap_or(rest.len())
        };
        match (self, rest.first()?) {
            (Self::JavaScript | Self::Script, b'/')
                if rest.starts_with(b"//") && before != Some(&b':') =>
            {
                Some(line())
            }
            (Self::JavaScript, b'/') if rest.starts_with(b"/*") => Some(block(b"*/")),
            (Self::JavaScript, _) => None,
            (Self::PowerShell, b'<') if rest.starts_with(b"<#") => Some(block(b"#>")),
            (Self::Python, b'#') => Some(line()),
            (_, b'#') if at_word => Some(line()),
            _ => None,
        }
    }

    /// Whether this character begins a string.
    pub(super) fn has_strings(self, quote: u8) -> bool {
        match self {
            Self::JavaScript => true,
            Self::Python | Self::Shell | Self::PowerShell | Self::Script => quote != b'`',
            Self::Data | Self::Other => false,
        }
    }

    /// The end of the string that `rest` begins with.
    pub(super) fn string(self, rest: &[u8], quote: u8) -> StringEnd {
        let triple = [quote; 3];
        let is_triple = self == Self::Python && rest.starts_with(&triple);
        let width = if is_triple { 3 } else { 1 };
        let many_lines = is_triple || quote == b'`' || self == Self::Shell;
        let escapes = !(self == Self::Shell && quote == b'\'');
        let mut end = width;
        while let Some(&byte) = rest.get(end) {
            let too_far = end > MAX_STRING && !is_triple;
            if too_far || (byte == b'\n' && !many_lines) {
                break;
            }
            if byte == b'\\' && escapes {
                end += 2;
            } else if byte == quote && (!is_triple || rest[end..].starts_with(&triple)) {
                return StringEnd::At(end + width);
            } else {
                end += 1;
            }
        }
        StringEnd::None { width }
    }

    /// Whether a statement goes on behind this line, inside of so many brackets.
    pub(super) fn goes_on(self, line: &[u8], depth: usize) -> bool {
        match self {
            Self::Python | Self::JavaScript | Self::PowerShell | Self::Script => depth > 0,
            Self::Shell => {
                let line = line.trim_ascii_end();
                line.ends_with(b"|") || line.ends_with(b"&&")
            }
            Self::Data | Self::Other => false,
        }
    }
}

/// Most variables that are remembered, and most bytes of a value.
const MAX_VARIABLES: usize = 64;
const MAX_VALUE_BYTES: usize = 80;

/// The plain values that a script gave its variables so far.
#[derive(Debug, Default)]
pub(crate) struct ShellVariables {
    known: BTreeMap<String, String>,
}

impl ShellVariables {
    /// A statement with its pieces put together, if it has any.
    pub(crate) fn assembled(&self, statement: &str) -> Option<String> {
        if self.known.is_empty() || !has_adjacent_variables(statement) {
            return None;
        }
        let mut text = String::with_capacity(statement.len());
        let mut replaced = 0;
        let mut rest = statement;
        while let Some(at) = rest.find('$') {
            text.push_str(&rest[..at]);
            let (name, length) = variable(&rest[at..]);
            match self.known.get(name) {
                Some(value) => {
                    text.push_str(value);
                    replaced += 1;
                }
                None => text.push_str(&rest[at..at + length]),
            }
            rest = &rest[at + length..];
        }
        text.push_str(rest);
        (replaced > 0).then_some(text)
    }

    /// Remembers what a statement gives a plain value to.
    pub(crate) fn learn(&mut self, statement: &str) {
        if !statement.contains('=') {
            return;
        }
        for part in statement.split([';', ' ']) {
            let Some((name, value)) = part.split_once('=') else {
                continue;
            };
            let value = value.trim_matches(['"', '\'']);
            let is_name = !name.is_empty() && name.bytes().all(is_letter);
            let is_plain = !value.is_empty()
                && value.len() <= MAX_VALUE_BYTES
                && !value.contains(['$', '`', '(', '"', '\'']);
            if is_name && is_plain && self.known.len() < MAX_VARIABLES {
                self.known.insert(name.to_owned(), value.to_owned());
            }
        }
    }
}

/// Whether two variables stand side by side, with nothing or a slash between them.
fn has_adjacent_variables(statement: &str) -> bool {
    let mut rest = statement;
    while let Some(at) = rest.find('$') {
        let (_, length) = variable(&rest[at..]);
        rest = &rest[at + length..];
        let next = rest.trim_start_matches(['"', '\'', '/', '.']);
        if length > 1 && next.starts_with('$') && rest.len() - next.len() <= 3 {
            return true;
        }
    }
    false
}

/// The name of the variable that `text` starts with, and how long it is written.
fn variable(text: &str) -> (&str, usize) {
    let bytes = text.as_bytes();
    let braced = bytes.get(1) == Some(&b'{');
    let start = if braced { 2 } else { 1 };
    let length = bytes[start..]
        .iter()
        .take_while(|byte| is_letter(**byte))
        .count();
    let end = start + length;
    let closes = braced && bytes.get(end) == Some(&b'}');
    if braced && !closes {
        return ("", 1);
    }
    (&text[start..end], end + usize::from(closes))
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
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

    fn check_assembled(learned: &[&str], statement: &str, expected: Option<&str>) {
        let mut pieces = ShellVariables::default();
        for each in learned {
            pieces.learn(each);
        }
        assert_eq!(
            pieces.assembled(statement).as_deref(),
            expected,
            "{statement}"
        );
    }

    #[test]
    fn pieces_side_by_side_are_put_together() {
        let learned = ["a=/.aws", "b='credentials'; c=cu", "d=rl"];
        check_assembled(
            &learned,
            "f=\"$home$a/$b\"",
            Some("f=\"$home/.aws/credentials\""),
        );
        check_assembled(&learned, "${c}${d} x", Some("curl x"));
        check_assembled(&learned, "$c\"$d\" x", Some("cu\"rl\" x"));
    }

    #[test]
    fn what_stands_alone_stays() {
        let learned = ["url=https://x.test", "out=a.zip"];
        check_assembled(&learned, "curl -o $out $url", None);
        check_assembled(&learned, "echo $1 $# ${x", None);
        check_assembled(&[], "$a$b", None);
        check_assembled(&["a=$(x)", "b=`y`"], "$a$b", None);
    }
}

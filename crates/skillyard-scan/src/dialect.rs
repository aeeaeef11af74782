//! How languages differ: where a comment starts, what a string is, and what makes a statement
//! go on.

use super::file::Language;

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

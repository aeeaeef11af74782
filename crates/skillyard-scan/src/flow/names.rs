//! The names in a statement: which are used, and which get a new value.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::file::Language;
use crate::here::Here;
use crate::pattern::Pattern;

use super::position::{is_command, is_first_argument, is_read, is_started, mark_length};

/// Most words and bytes around a name that are looked at, so that a long statement costs no more
/// than its length.
pub(super) const MAX_WORDS: usize = 8;
pub(super) const MAX_BYTES: usize = 200;

/// Calls that put something into what they are called on.
const FILLS: &[&str] = &[
    ".append(",
    ".add(",
    ".update(",
    ".push(",
    ".extend(",
    ".write(",
    ".writestr(",
    ".insert(",
    ".set_content(",
    ".attach(",
    ".set(",
];
/// Files that a statement names: in folders for passing things, or by their ending.
static FILES: Pattern = Pattern::new(
    r#"(?:/tmp/|/var/tmp/|/dev/shm/|%temp%\\|%appdata%\\|\$env:temp\\|\$env:appdata\\|~/\.cache/)[\w.$/\\-]+|
    (?:^|[\s"'=@(<>])[\w./-]*[\w-]\.(?:sh|py|js|exe|bin|zip|tgz|tar|gz|dat|db|json|txt|b64|ps1|bat|pl|rb|dll|pkl)\b"#,
);
/// Functions: where one begins, and its name.
static FUNCTION: Pattern = Pattern::new(
    r"^(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:def|function|func|fn|sub)\s+(?:\w+)|^(?:\w+)\s*\(\s*\)\s*\{|^(?:const|let|var)\s+\w+\s*=\s*(?:async\s*)?(?:\([^)]*\)|\w+)\s*=>",
);

/// A name in a statement.
#[derive(Debug)]
pub(super) struct Name<'t> {
    pub(super) text: &'t str,
    /// Where it stands.
    pub(super) at: usize,
    /// Whether it is written as a variable rather than as a bare word.
    pub(super) marked: bool,
    pub(super) role: Role,
    /// Whether it stands where a program is started: first in a command, or behind an interpreter.
    pub(super) starts: bool,
}

/// What happens to a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Its value is used.
    Used,
    /// It gets a value.
    Defined,
    /// Both: something is put into it.
    Filled,
}

/// The names of a statement, in order.
pub(super) fn names<'t>(here: &Here<'t>) -> Vec<Name<'t>> {
    let mut reader = Reader {
        text: here.text.plain(),
        language: here.unit.language,
        depth: 0,
        found: Vec::new(),
    };
    reader.read(here);
    reader.found
}

/// The files that a statement names, and where.
pub(super) fn files(text: &str) -> impl Iterator<Item = (usize, &str)> {
    FILES.ranges(text).map(|range| {
        let found = &text[range.clone()];
        let path = found.trim_start_matches([' ', '"', '\'', '=', '@', '(', '<', '>']);
        (range.end - path.len(), path)
    })
}

/// The words of a command that are called like files, or are `saved` ones, and where they are.
pub(super) fn words<'t>(
    text: &'t str,
    saved: &BTreeSet<&str>,
) -> impl Iterator<Item = (usize, &'t str)> {
    let mut at = 0;
    text.split([' ', '"', '\'', '=', '@'])
        .filter_map(move |word| {
            let start = at;
            at += word.len() + 1;
            let word = word.trim_end_matches([';', '&', '|', ')']);
            let is_name = word.len() > 3 && word.contains('.') && !word.contains("//");
            let is_saved = || saved.contains(word.strip_prefix("./").unwrap_or(word));
            (is_name || is_saved()).then_some((start, word))
        })
}

/// The files that a command of the shell saves to, by its options.
pub(super) fn saved(text: &str) -> impl Iterator<Item = &str> {
    let mut words = text.split(' ').map(|word| word.trim_matches(['"', '\'']));
    std::iter::from_fn(move || {
        loop {
            let word = words.next()?;
            let file = match word {
                "-o" | "-O" | "--output" | "--output-document" | ">" | ">>" => words.next()?,
                _ => word
                    .strip_prefix("--output=")
                    .or_else(|| word.strip_prefix("--output-document="))
                    .unwrap_or_default(),
            };
            let file = file.trim_end_matches([';', '&', '|', ')']);
            let file = file.strip_prefix("./").unwrap_or(file);
            if !file.is_empty() && !file.starts_with(['-', '$', '&', '/']) {
                return Some(file);
            }
        }
    })
}

/// The function that starts with this statement.
pub(super) fn function(text: &str) -> Option<&str> {
    let head = &text[FUNCTION.find(text)?];
    let words = head.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let keyword = |word: &&str| {
        let words = [
            "export", "default", "async", "def", "function", "func", "fn", "sub", "const", "let",
            "var",
        ];
        !word.is_empty() && !words.contains(word)
    };
    words.into_iter().find(keyword)
}

/// The end of a text: what stands right before a name, whatever the length of the statement.
pub(super) fn last(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(MAX_BYTES))..]
}

struct Reader<'t> {
    text: &'t str,
    language: Language,
    depth: usize,
    found: Vec<Name<'t>>,
}

impl<'t> Reader<'t> {
    fn read(&mut self, here: &Here<'t>) {
        let bytes = self.text.as_bytes();
        let is_shell = matches!(self.language, Language::Shell | Language::Other);
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'(' | b'[' | b'{' => self.depth += 1,
                b')' | b']' | b'}' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            if !(byte.is_ascii_alphabetic() || byte == b'_') {
                at += 1;
                continue;
            }
            let rest = bytes[at..].iter();
            let length = rest
                .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
                .count();
            let range = at..at + length;
            at += length;
            let before = &self.text.as_bytes()[..range.start];
            let marked = matches!(before, [.., b'$'] | [.., b'$', b'{'])
                || before.ends_with(b"$env:")
                || before.ends_with(b"%");
            let inserted = before.ends_with(b"{");
            // What belongs to the object itself is a name like any other.
            let is_own = before.ends_with(b"self.") || before.ends_with(b"this.");
            let is_part = matches!(before, [.., b'.' | b'-' | b'/' | b'@']) && !marked && !is_own;
            if is_part || (here.is_quoted(&range) && !marked && !inserted) {
                continue;
            }
            let defined = self.role(&range);
            if is_shell && !marked && defined == Role::Used {
                // In a shell a word without a mark is a text, or the name of a function.
                if !is_command(before) {
                    continue;
                }
            }
            let bare = &before[..before.len() - mark_length(before)];
            let starts = match self.language {
                Language::Python | Language::JavaScript | Language::Script => {
                    is_first_argument(bare)
                }
                // A variable alone is shown there, not started.
                Language::PowerShell => !is_command(bare) && is_started(bare),
                _ => is_started(bare) && !self.is_inside_string(here, range.start),
            };
            self.found.push(Name {
                text: &self.text[range.clone()],
                at: range.start,
                marked: marked || !is_shell,
                role: defined,
                starts,
            });
        }
    }

    /// Whether a place is inside a string of the shell, rather than at its beginning.
    fn is_inside_string(&self, here: &Here<'t>, at: usize) -> bool {
        let before = &self.text.as_bytes()[..at];
        let before = &before[..before.len() - mark_length(before)];
        let is_first = before.ends_with(b"\"") || before.ends_with(b"'");
        let is_command = before.ends_with(b"$(") || before.ends_with(b"`");
        !is_first && !is_command && here.file.is_in_string(here.at(&(at..at)).start)
    }

    fn role(&self, range: &Range<usize>) -> Role {
        let before = last(&self.text[..range.start]);
        let after = &self.text[range.end..];
        let next = after.trim_start();
        let is_shell = matches!(self.language, Language::Shell);
        let assigns = |text: &str| {
            text.starts_with('=') && !text.starts_with("==") && !text.starts_with("=>")
        };
        let outside = self.depth == 0 || is_shell || before.trim_end().ends_with(['{', ';']);
        if outside && (assigns(next) && (!is_shell || after.starts_with('='))) {
            return Role::Defined;
        }
        if outside && (next.starts_with(":=") || next.starts_with("+=")) {
            return Role::Filled;
        }
        if FILLS.iter().any(|call| after.starts_with(call)) {
            return Role::Filled;
        }
        if let Some(rest) = after.strip_prefix('[')
            && let Some(index) = rest.bytes().take(MAX_BYTES).position(|byte| byte == b']')
            && assigns(rest[index + 1..].trim_start())
        {
            return Role::Filled;
        }
        let word = before.trim_end_matches(['$', '{', '@', '%']).trim_end();
        let word = word.rsplit([' ', '(', '$']).next();
        let loops = matches!(word, Some("for" | "foreach" | "const" | "let" | "my"))
            && (next.starts_with("in ") || next.starts_with("of ") || next.starts_with(','));
        // `open my $file, …` reads into what it declares.
        let declares = self.language == Language::Script && word == Some("my");
        if word == Some("as") || declares || loops || is_read(before) {
            return Role::Defined;
        }
        // `a, b = …` gives both a value.
        let mut list = next;
        let mut left = MAX_WORDS;
        while self.depth == 0 && list.starts_with(',') && left > 0 {
            left -= 1;
            list = list[1..].trim_start();
            let end = list
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                .unwrap_or(list.len());
            list = list[end..].trim_start();
        }
        if list.len() < next.len() && (assigns(list) || list.starts_with(":=")) {
            return Role::Defined;
        }
        Role::Used
    }
}

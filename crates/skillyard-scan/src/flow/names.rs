//! The names in a statement: which are used, and which get a new value.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::file::Language;
use crate::pattern::Pattern;
use crate::skill::UnitContext;

/// Most words and bytes around a name that are looked at, so that a long statement costs no more
/// than its length.
pub(super) const MAX_WORDS: usize = 8;
pub(super) const MAX_BYTES: usize = 200;

/// Calls that start a program.
#[rustfmt::skip]
const STARTING_CALLS: &[&[u8]] = &[
    b"system", b"popen", b"run", b"call", b"check_call", b"check_output", b"getoutput", b"spawn",
    b"spawnsync", b"exec", b"execsync", b"execfile", b"execfilesync", b"startfile", b"eval",
    b"command",
];
/// Commands whose argument is started as a program.
#[rustfmt::skip]
const STARTING_COMMANDS: &[&[u8]] = &[
    b"sh", b"bash", b"zsh", b"dash", b"source", b"exec", b"nohup", b"sudo", b"eval", b"python",
    b"python3", b"node", b"perl", b"ruby", b"start", b"start-process", b"msiexec", b"/b", b"755",
    b"chmod", b"powershell", b"iex", b"invoke-expression",
];
/// Calls that put something into what they are called on.
#[rustfmt::skip]
const MUTATING_CALLS: &[&str] = &[
    ".append(", ".add(", ".update(", ".push(", ".extend(", ".write(", ".writestr(", ".insert(",
    ".set_content(", ".attach(", ".set(",
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
pub(super) struct NameUse<'t> {
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
pub(super) fn names<'t>(ctx: &UnitContext<'t>) -> Vec<NameUse<'t>> {
    let mut reader = NameReader {
        text: ctx.text.plain(),
        language: ctx.unit.language,
        depth: 0,
        found: Vec::new(),
    };
    reader.read(ctx);
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

struct NameReader<'t> {
    text: &'t str,
    language: Language,
    depth: usize,
    found: Vec<NameUse<'t>>,
}

impl<'t> NameReader<'t> {
    fn read(&mut self, ctx: &UnitContext<'t>) {
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
            if is_part || (ctx.is_quoted(&range) && !marked && !inserted) {
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
                _ => is_started(bare) && !self.is_inside_string(ctx, range.start),
            };
            self.found.push(NameUse {
                text: &self.text[range.clone()],
                at: range.start,
                marked: marked || !is_shell,
                role: defined,
                starts,
            });
        }
    }

    /// Whether a place is inside a string of the shell, rather than at its beginning.
    fn is_inside_string(&self, ctx: &UnitContext<'t>, at: usize) -> bool {
        let before = &self.text.as_bytes()[..at];
        let before = &before[..before.len() - mark_length(before)];
        let is_first = before.ends_with(b"\"") || before.ends_with(b"'");
        let is_command = before.ends_with(b"$(") || before.ends_with(b"`");
        !is_first && !is_command && ctx.file.is_in_string(ctx.at(&(at..at)).start)
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
        if MUTATING_CALLS.iter().any(|call| after.starts_with(call)) {
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

/// Whether the words before read a line into the name.
pub(super) fn is_read(before: &str) -> bool {
    let tail = before.trim_end();
    let mut words = tail.rsplit(' ').skip_while(|word| word.starts_with('-'));
    tail.len() < before.len() && words.next() == Some("read")
}

pub(super) fn mark_length(before: &[u8]) -> usize {
    match before {
        [.., b'$', b'{'] => 2,
        [.., b'$' | b'%'] => 1,
        _ => 0,
    }
}

/// Whether a file that stands here is written to.
pub(super) fn is_written(before: &[u8]) -> bool {
    let before = &before[before.len().saturating_sub(MAX_BYTES)..];
    let is_mark = |byte: &u8| matches!(byte, b'$' | b'{' | b'"' | b'\'' | b' ');
    let end = before.iter().rposition(|byte| !is_mark(byte));
    end.is_some_and(|at| before[at] == b'>')
}

/// Whether a word that stands here is the name of a command.
pub(super) fn is_command(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    before.is_empty()
        || matches!(before, [.., b';' | b'|' | b'&' | b'(' | b'`' | b'{'])
        || [&b" do"[..], b" then", b" else"]
            .iter()
            .any(|word| before.ends_with(word))
}

/// Whether a value that stands here is what a call starts.
pub(super) fn is_first_argument(before: &[u8]) -> bool {
    let open = before
        .iter()
        .rposition(|byte| !matches!(byte, b'[' | b'"' | b'\'' | b'`' | b'{' | b'$' | b'f' | b' '));
    let Some(open) = open.filter(|at| before[*at] == b'(') else {
        return false;
    };
    let name = before[..open].rsplit(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'));
    name.into_iter()
        .next()
        .is_some_and(|name| STARTING_CALLS.contains(&name))
}

/// Whether a value that stands here is started as a program.
pub(crate) fn is_started(before: &[u8]) -> bool {
    let before = &before[before.len().saturating_sub(MAX_BYTES)..];
    let before = before.trim_ascii_end();
    let before = before.strip_suffix(b"\"").unwrap_or(before);
    let before = before.strip_suffix(b"'").unwrap_or(before).trim_ascii_end();
    // As a command it reads a script, as an argument it is this folder or everything.
    if let Some(point) = before.strip_suffix(b".")
        && point.last().is_none_or(u8::is_ascii_whitespace)
    {
        return is_command(point);
    }
    // Behind `python -` or `sh -c` stands an argument.
    let is_option = |word: &&[u8]| word.starts_with(b"-") || word.starts_with(b"+");
    let words = before.rsplit(u8::is_ascii_whitespace).take(MAX_WORDS);
    let mut options = words.clone().take_while(is_option);
    if options.any(|word| matches!(word, b"-" | b"-c" | b"-m" | b"-e")) {
        return false;
    }
    let mut words = words.skip_while(is_option);
    is_command(before)
        || before.ends_with(b"&")
        || words.next().is_some_and(|word| {
            let word = word.rsplit(|byte| *byte == b'/').next().unwrap_or(word);
            let word = word
                .rsplit(|byte| matches!(byte, b'(' | b'`' | b'"' | b'\''))
                .next();
            word.is_some_and(|word| STARTING_COMMANDS.contains(&word))
        })
}

/// What builds or runs a folder that its options name.
const BUILD_TOOLS: [&str; 19] = [
    "bun", "cargo", "cmake", "go", "gmake", "gradle", "just", "make", "mvn", "ninja", "npm", "npx",
    "pip", "pip3", "pipx", "pnpm", "poetry", "uv", "yarn",
];
/// Options behind which stands where something is written to.
const OUTPUT_OPTIONS: [&str; 2] = ["--target", "-t"];
/// How many words of a command are looked at.
const MAX_COMMAND_WORDS: usize = 60;

/// The folder that a repository is fetched into.
pub(super) fn clone_folder(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("git clone ")?;
    let mut words = command(rest).filter(|word| !word.starts_with('-'));
    let is_address = |word: &&str| word.contains("://") || word.contains('@');
    let address = words.find(is_address)?;
    let folder = words.next().unwrap_or_else(|| {
        let name = address.trim_end_matches('/').rsplit(['/', ':']).next();
        let name = name.unwrap_or(address);
        name.strip_suffix(".git").unwrap_or(name)
    });
    let folder = normalized(folder);
    (!folder.is_empty() && folder != ".").then_some(folder)
}

/// The paths that a command which builds or runs something is given.
pub(super) fn build_folders(text: &str) -> impl Iterator<Item = &str> {
    let commands = text.split([';', '&', '|']);
    commands.flat_map(|each| {
        let mut words = command(each).skip_while(|word| *word == "sudo" || word.contains('='));
        let builds = words.next().is_some_and(|word| BUILD_TOOLS.contains(&word));
        let mut is_written = false;
        words.filter_map(move |word| {
            let before = std::mem::replace(&mut is_written, OUTPUT_OPTIONS.contains(&word));
            let path = word.split_once('=').map_or(word, |(_, path)| path);
            (builds && !before).then(|| normalized(path))
        })
    })
}

/// The words of one command.
fn command(text: &str) -> impl Iterator<Item = &str> {
    let end = text.find([';', '&', '|', ')']).unwrap_or(text.len());
    text[..end].split_whitespace().take(MAX_COMMAND_WORDS)
}

/// A path as it is known, however it is written.
fn normalized(path: &str) -> &str {
    let path = path.trim_matches(['"', '\'']).trim_end_matches('/');
    path.strip_prefix("./").unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_repository_is_known() {
        for (text, folder) in [
            ("git clone https://a.test/x/tools.git", Some("tools")),
            (
                "git clone --depth 1 https://a.test/x/tools /tmp/t/",
                Some("/tmp/t"),
            ),
            ("git clone git@a.test:x/tools.git \"$dir\"", Some("$dir")),
            ("git clone https://a.test/x.git t && make -c t", Some("t")),
            ("git clone https://a.test/x.git .", None),
            ("git status", None),
        ] {
            assert_eq!(clone_folder(text), folder, "{text}");
        }
    }

    #[test]
    fn options_and_arguments_name_folders() {
        let led = |text: &'static str| build_folders(text).collect::<Vec<_>>();
        assert!(led("npm --prefix ./t install").contains(&"t"));
        assert!(led("npm ci --prefix=t").contains(&"t"));
        assert!(led("sudo make -c /tmp/t").contains(&"/tmp/t"));
        assert!(led("cd x && cargo run --manifest-path t/cargo.toml").contains(&"t/cargo.toml"));
        assert!(led("uv run --project \"$dir\" main.py").contains(&"$dir"));
        assert!(!led("pip install --target t requests").contains(&"t"));
        assert!(led("ls t").is_empty());
    }
}

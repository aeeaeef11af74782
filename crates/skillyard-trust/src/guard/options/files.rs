//! Options whose values are files that a program writes, or where it finds what it does.

use crate::guard::options::download::{CURL_VALUE_LETTERS, WGET_VALUE_LETTERS};
use crate::guard::options::{CommandContext, letters, outside};
use crate::guard::shell::Word;

/// A program, and its options with files.
struct FileOptions {
    names: &'static [&'static str],
    long: &'static [&'static str],
    short: &'static str,
    /// Letters of all short options with a value, those with files among them.
    valued: &'static str,
    access: FileEffect,
}

/// What is done with the files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileEffect {
    Written,
    /// They say what to do.
    Obeyed,
}

#[rustfmt::skip]
const FILE_OPTIONS: &[FileOptions] = &[
    FileOptions {
        names: &["curl"],
        long: &[
            "--alt-svc", "--cookie-jar", "--dump-header", "--etag-save", "--hsts", "--libcurl",
            "--output", "--output-dir", "--stderr", "--trace", "--trace-ascii",
        ],
        short: "ocD",
        valued: CURL_VALUE_LETTERS,
        access: FileEffect::Written,
    },
    FileOptions {
        names: &["wget"],
        long: &[
            "--append-output", "--default-page", "--directory-prefix", "--hsts-file",
            "--output-document", "--output-file", "--rejected-log", "--save-cookies", "--warc-file",
            "--warc-tempdir",
        ],
        short: "OPoa",
        valued: WGET_VALUE_LETTERS,
        access: FileEffect::Written,
    },
    FileOptions {
        names: &["make", "gmake"],
        long: &["--directory", "--file", "--include-dir", "--makefile"],
        short: "CfI",
        valued: "CfIjloW",
        access: FileEffect::Obeyed,
    },
    // Where the scripts are that they run.
    FileOptions {
        names: &["npm", "pnpm", "yarn"],
        long: &["--cwd", "--dir", "--prefix"],
        short: "C",
        valued: "C",
        access: FileEffect::Obeyed,
    },
];

/// Why an option behind the first `named` words leads out of the workspace, if one does.
pub(super) fn outside_workspace(
    name: &str,
    words: &[Word],
    named: usize,
    ctx: &CommandContext<'_>,
) -> Option<String> {
    let files = FILE_OPTIONS
        .iter()
        .find(|each| each.names.contains(&name))?;
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let was = at;
        at += 1;
        let Some(text) = word.literal() else {
            continue;
        };
        if text == "--" {
            return None;
        }
        let (is_file, value) = if text.starts_with("--") {
            let (option, value) = match text.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (text, None),
            };
            (is_long(files, option), value)
        } else {
            let found = letters(text, files.valued);
            let last = found
                .last()
                .and_then(|(letter, value)| Some((*letter, (*value)?)));
            let Some((letter, value)) = last else {
                continue;
            };
            let value = Some(value).filter(|value| !value.is_empty());
            // `make -j` and `-l` take a value only where it stands in the same word.
            let is_alone = files.access == FileEffect::Obeyed && matches!(letter, 'j' | 'l');
            at += usize::from(value.is_none() && !is_alone && !files.short.contains(letter));
            (files.short.contains(letter), value)
        };
        if !is_file {
            continue;
        }
        let value = value.or_else(|| {
            at += 1;
            words.get(at - 1).and_then(Word::literal)
        });
        if was >= named && !value.is_some_and(|value| files.may_be(value, ctx)) {
            return Some(outside(text, value.unwrap_or("…")));
        }
    }
    None
}

/// Whether an option has a file; these may be shortened, and none of them is part of another.
fn is_long(files: &FileOptions, option: &str) -> bool {
    let mut long = files.long.iter();
    option.len() > 2 && long.any(|long| long.starts_with(option))
}

impl FileOptions {
    fn may_be(&self, value: &str, ctx: &CommandContext<'_>) -> bool {
        match self.access {
            // `curl` puts parts of the address in the place of `#1`.
            FileEffect::Written => value == "-" || !value.contains('#') && ctx.is_writable(value),
            FileEffect::Obeyed => value != "-" && ctx.is_inside(value),
        }
    }
}

/// How many steps of an address are part of the name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Steps {
    Last,
    All,
}

/// Why what a program makes of an address is not for it to write, if it is not.
pub(super) fn name_danger(
    program: &str,
    address: &Word,
    steps: Steps,
    ctx: &CommandContext<'_>,
) -> Option<String> {
    let Some(text) = address.literal().filter(|text| !text.starts_with('@')) else {
        return Some(unknown_name(program));
    };
    let decoded = decoded(text);
    let (_, decoded) = decoded.split_once("://").unwrap_or(("", &decoded));
    // Programs, and versions of one, disagree on whether what follows belongs to the name.
    let path = decoded.split(['?', '#']).next().unwrap_or_default();
    let mut names = [path, decoded].into_iter().map(|text| file(text, steps));
    let away = names.find(|name| !ctx.is_writable(&format!("./{name}")))?;
    let shown: String = text.chars().take(60).collect();
    Some(outside(&shown, &away))
}

/// The last step of an address, if it has a host before it.
pub(super) fn last_step(text: &str) -> &str {
    let text = text.trim_end_matches('/');
    text.rsplit(['/', ':']).next().unwrap_or_default()
}

/// The reason to deny writing a file with an unknown name.
pub(super) fn unknown_name(program: &str) -> String {
    let option = if program == "curl" { "-o" } else { "-O" };
    format!(
        "the name of the file that `{program}` writes is only known when it runs; \
         name it with `{option}`"
    )
}

fn file(text: &str, steps: Steps) -> String {
    // `{a,b}` stands for both in an address of curl.
    let parts = text.split(['/', '\\', '{', ',']);
    let parts: Vec<&str> = parts
        .filter(|part| !matches!(*part, "" | "." | ".."))
        .collect();
    let is_hidden = |part: &&&str| part.starts_with('.') && text.contains('{');
    match steps {
        Steps::All => parts.join("/"),
        Steps::Last => {
            let hidden = parts.iter().find(is_hidden).or(parts.last());
            hidden.map_or("index.html", |part| part).to_owned()
        }
    }
}

/// The text with the characters that decide about a name in their own form.
fn decoded(text: &str) -> String {
    let text = text.replace("%2e", ".").replace("%2E", ".");
    text.replace("%2f", "/").replace("%2F", "/")
}

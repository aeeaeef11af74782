//! Options whose values are files that a program writes, or where it finds what it does.

use super::super::shell::Word;
use super::{Here, curl, letters, outside, wget};

/// A program, and its options with files.
struct Files {
    names: &'static [&'static str],
    long: &'static [&'static str],
    short: &'static str,
    /// Letters of all short options with a value, those with files among them.
    valued: &'static str,
    access: Access,
}

/// What is done with the files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Written,
    /// They say what to do.
    Obeyed,
}

const FILES: &[Files] = &[
    Files {
        names: &["curl"],
        long: &[
            "--alt-svc",
            "--cookie-jar",
            "--dump-header",
            "--etag-save",
            "--hsts",
            "--libcurl",
            "--output",
            "--output-dir",
            "--stderr",
            "--trace",
            "--trace-ascii",
        ],
        short: "ocD",
        valued: curl::VALUED,
        access: Access::Written,
    },
    Files {
        names: &["wget"],
        long: &[
            "--append-output",
            "--default-page",
            "--directory-prefix",
            "--hsts-file",
            "--output-document",
            "--output-file",
            "--rejected-log",
            "--save-cookies",
            "--warc-file",
            "--warc-tempdir",
        ],
        short: "OPoa",
        valued: wget::VALUED,
        access: Access::Written,
    },
    Files {
        names: &["make", "gmake"],
        long: &["--directory", "--file", "--include-dir", "--makefile"],
        short: "CfI",
        valued: "CfIjloW",
        access: Access::Obeyed,
    },
    // Where the scripts are that they run.
    Files {
        names: &["npm", "pnpm", "yarn"],
        long: &["--cwd", "--dir", "--prefix"],
        short: "C",
        valued: "C",
        access: Access::Obeyed,
    },
];

/// Why an option behind the first `named` words leads out of the workspace, if one does.
pub(super) fn elsewhere(
    name: &str,
    words: &[Word],
    named: usize,
    here: &Here<'_>,
) -> Option<String> {
    let files = FILES.iter().find(|each| each.names.contains(&name))?;
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
            let is_alone = files.access == Access::Obeyed && matches!(letter, 'j' | 'l');
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
        if was >= named && !value.is_some_and(|value| files.may_be(value, here)) {
            return Some(outside(text, value.unwrap_or("…")));
        }
    }
    None
}

/// Whether an option has a file; these may be shortened, and none of them is part of another.
fn is_long(files: &Files, option: &str) -> bool {
    let mut long = files.long.iter();
    option.len() > 2 && long.any(|long| long.starts_with(option))
}

impl Files {
    fn may_be(&self, value: &str, here: &Here<'_>) -> bool {
        match self.access {
            // `curl` puts parts of the address in the place of `#1`.
            Access::Written => value == "-" || !value.contains('#') && here.is_writable(value),
            Access::Obeyed => value != "-" && here.is_inside(value),
        }
    }
}

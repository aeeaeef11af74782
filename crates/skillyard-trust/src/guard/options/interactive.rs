//! Programs with commands of their own, among which one starts a program or writes a file.

use crate::guard::options::{is_either, is_long, is_short, letters, starts, unseen};
use crate::guard::shell::Word;

/// Commands of `sqlite3` that only show something.
#[rustfmt::skip]
const SQLITE_SHOWS: &[&str] = &[
    ".databases", ".dump", ".exit", ".fullschema", ".header", ".headers", ".help", ".indexes",
    ".indices", ".limit", ".mode", ".nullvalue", ".print", ".quit", ".schema", ".separator",
    ".show", ".stats", ".tables", ".timer", ".version", ".width",
];
/// Options of `sqlite3` with a value.
#[rustfmt::skip]
const SQLITE_VALUES: &[&str] = &[
    "cmd", "heap", "maxsize", "mmap", "newline", "nonce", "nullvalue", "separator", "vfs",
];
/// How commands of `psql` begin that only show something.
#[rustfmt::skip]
const PSQL_SHOWS: &[&str] = &["\\d", "\\l", "\\x", "\\z", "\\conninfo", "\\h", "\\?", "\\timing"];
/// Commands of `mysql` itself that start programs, or read and write files.
#[rustfmt::skip]
const MYSQL_RUNS: &[&str] = &[
    "delimiter", "edit", "nopager", "notee", "pager", "source", "system", "tee",
];

/// Why the words after the first `named` ones are dangerous for a program, if they are.
pub(super) fn command_danger(name: &str, words: &[Word], named: usize) -> Option<String> {
    let arguments = &words[named.max(1).min(words.len())..];
    // What the list has as a whole is its author's choice.
    if arguments.is_empty() && named > 1 {
        return None;
    }
    let is_restricted = |word: &Word| word.literal() == Some("-r");
    match name {
        "ed" if arguments.first().is_some_and(is_restricted) => None,
        "ed" | "ex" => Some(reads_input(name)),
        "dc" => dc(arguments),
        "gh" => gh(arguments),
        "pandoc" => pandoc(arguments),
        "emacs" | "emacsclient" => emacs(name, arguments),
        "sqlite" | "sqlite3" => sqlite(name, arguments),
        "psql" => {
            let options = ValueOptions {
                statements: &["--command"],
                dangerous: &["--file", "--log-file", "--output"],
                short: "foL",
                valued: "cdfFhLnoPpRTUv",
                asks: "lV?",
            };
            options.command_danger(name, arguments, 'c', psql_is_dangerous)
        }
        "mysql" | "mariadb" => {
            let options = ValueOptions {
                statements: &["--execute"],
                dangerous: &[
                    "--defaults-extra-file",
                    "--defaults-file",
                    "--pager",
                    "--plugin-dir",
                    "--tee",
                ],
                short: "",
                valued: "DehPpSTu",
                asks: "V?I",
            };
            options.command_danger(name, arguments, 'e', mysql_is_dangerous)
        }
        _ => None,
    }
}

fn dc(arguments: &[Word]) -> Option<String> {
    let mut has_expression = false;
    for word in arguments {
        let Some(text) = word.literal() else {
            return Some(unknown("dc"));
        };
        let is_read = is_long(text, &["--file"]) || text.starts_with("-f");
        // `!<` and the like compare.
        let mut calls = text.match_indices('!').map(|(at, _)| &text[at + 1..]);
        let runs = calls.any(|rest| !rest.starts_with(['<', '=', '>'])) || text.contains('?');
        let is_option = text.starts_with('-');
        if is_read || runs || !is_option && !has_expression {
            return Some(starts("dc", text));
        }
        has_expression |= is_option;
    }
    (!has_expression).then(|| reads_input("dc"))
}

/// Words after `--` are for `git clone`.
fn gh(arguments: &[Word]) -> Option<String> {
    let at = arguments
        .iter()
        .position(|word| word.literal() == Some("--"))?;
    arguments[at..]
        .iter()
        .find_map(|word| match word.literal() {
            None => word.may_hide_an_option().then(|| unseen("git")),
            Some(text) => {
                let is_one = is_long(text, &["--config", "--template", "--upload-pack"])
                    || is_short(text) && text.contains(['c', 'u']);
                is_one.then(|| starts("git", text))
            }
        })
}

/// A format of its own is a program.
fn pandoc(arguments: &[Word]) -> Option<String> {
    let mut command_danger = arguments.iter().filter_map(Word::literal);
    let is_program = |text: &&str| {
        let format = text.split(['+', ' ']).next().unwrap_or(text);
        format.to_ascii_lowercase().ends_with(".lua")
    };
    command_danger
        .find(is_program)
        .map(|text| starts("pandoc", text))
}

/// It takes long options behind one hyphen as well.
fn emacs(name: &str, arguments: &[Word]) -> Option<String> {
    let long = [
        "--eval",
        "--execute",
        "--funcall",
        "--init-directory",
        "--load",
        "--script",
        "--user",
    ];
    arguments.iter().find_map(|word| {
        let text = word.literal().unwrap_or("--…");
        let is_short = matches!(text, "-e" | "-f" | "-l" | "-u" | "-x" | "--…");
        (is_short || is_either(text, &long)).then(|| starts(name, text))
    })
}

fn sqlite(name: &str, arguments: &[Word]) -> Option<String> {
    let (mut operands, mut asks) = (0, false);
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let Some(text) = word.literal() else {
            if operands > 0 || word.may_hide_an_option() {
                return Some(unknown(name));
            }
            operands += 1;
            continue;
        };
        let option = text.strip_prefix("--").or_else(|| text.strip_prefix('-'));
        let judged = match option {
            Some("version" | "help") => {
                asks = true;
                continue;
            }
            Some(option) if option == "init" || option.starts_with('A') => {
                return Some(starts(name, text));
            }
            Some(option) if SQLITE_VALUES.contains(&option) => match rest.next()?.literal() {
                Some(value) => value,
                None => return Some(unknown(name)),
            },
            Some("lookaside" | "pagecache") => {
                rest.next();
                rest.next();
                continue;
            }
            Some(_) => continue,
            None => {
                operands += 1;
                text
            }
        };
        if sqlite_is_dangerous(judged) {
            return Some(starts(name, judged));
        }
    }
    (operands < 2 && !asks).then(|| reads_input(name))
}

fn sqlite_is_dangerous(text: &str) -> bool {
    let text = text.trim_start();
    if text.starts_with('.') && !text.starts_with("./") && !text.starts_with("../") {
        let command = text.split_whitespace().next().unwrap_or_default();
        return !SQLITE_SHOWS.contains(&command);
    }
    let has = |word: &str| has_word(text, word);
    ["attach", "edit", "load_extension", "writefile"]
        .into_iter()
        .any(has)
        || has("vacuum") && has("into")
}

fn psql_is_dangerous(text: &str) -> bool {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix('\\') {
        let shows = PSQL_SHOWS.iter().any(|show| text.starts_with(show));
        return !shows || text.starts_with("\\lo") || rest.contains(['\\', '`', '|']);
    }
    has_word(text, "copy") && has_word(text, "program") || has_word(text, "lo_export")
}

fn mysql_is_dangerous(text: &str) -> bool {
    let mut starts = text.split([';', '\n']);
    let runs = starts.any(|statement| {
        let first = statement.split_whitespace().next().unwrap_or_default();
        let first = first.to_ascii_lowercase();
        MYSQL_RUNS.contains(&&*first)
    });
    runs || text.contains('\\') || has_word(text, "outfile") || has_word(text, "dumpfile")
}

/// Whether one of the names in a text is this one.
fn has_word(text: &str, word: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|each| each.eq_ignore_ascii_case(word))
}

/// Options of a program that is given statements by one of them.
struct ValueOptions {
    statements: &'static [&'static str],
    dangerous: &'static [&'static str],
    /// Letters that are dangerous.
    short: &'static str,
    /// Letters with a value.
    valued: &'static str,
    /// Letters after which nothing is read.
    asks: &'static str,
}

impl ValueOptions {
    fn command_danger(
        &self,
        name: &str,
        arguments: &[Word],
        statement: char,
        is_dangerous: fn(&str) -> bool,
    ) -> Option<String> {
        let mut has_statement = false;
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            let Some(text) = word.literal() else {
                if word.may_hide_an_option() {
                    return Some(unseen(name));
                }
                continue;
            };
            if text == "--" {
                break;
            }
            if is_long(text, self.dangerous) {
                return Some(starts(name, text));
            }
            if matches!(text, "--list" | "--version" | "--help") {
                has_statement = true;
            }
            let value = if is_long(text, self.statements) {
                text.split_once('=').map(|(_, value)| value)
            } else {
                let found = letters(text, self.valued);
                if found.iter().any(|(letter, _)| self.short.contains(*letter)) {
                    return Some(starts(name, text));
                }
                has_statement |= found.iter().any(|(letter, _)| self.asks.contains(*letter));
                match found.last() {
                    Some((letter, Some(value))) if *letter == statement => {
                        Some(*value).filter(|value| !value.is_empty())
                    }
                    // The password of `mysql` stands in the same word, if anywhere.
                    Some((letter, Some(""))) if !(statement == 'e' && *letter == 'p') => {
                        rest.next();
                        continue;
                    }
                    _ => continue,
                }
            };
            has_statement = true;
            match value.or_else(|| rest.next().and_then(Word::literal)) {
                None => return Some(unknown(name)),
                Some(value) if is_dangerous(value) => return Some(starts(name, value)),
                Some(_) => {}
            }
        }
        (!has_statement).then(|| reads_input(name))
    }
}

fn reads_input(name: &str) -> String {
    format!("`{name}` reads commands from its input, among which one may start other programs")
}

fn unknown(name: &str) -> String {
    format!("what `{name}` is told is only known when it runs")
}

//! Secrets that nobody told of, by their look: tokens of well-known services, what stands behind
//! `Bearer`, and the values of arguments such as `--password`.

use std::borrow::Cow;
use std::ops::Range;

use crate::redactor::secret::REDACTED;

/// How tokens begin, and how many letters follow at least.
const TOKENS: &[(&str, usize)] = &[
    ("ghp_", 16),
    ("gho_", 16),
    ("ghu_", 16),
    ("ghs_", 16),
    ("ghr_", 16),
    ("github_pat_", 16),
    ("glpat-", 16),
    ("xoxa-", 10),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("AKIA", 16),
    ("sk-", 20),
];
/// How names of arguments end whose values are secrets.
const ARGUMENTS: &[&str] = &["password", "token", "api-key"];
/// What means something to a shell.
const RUN: &str = ";|&()<>{}`$\n";
/// The least length of what stands behind `Bearer`: shorter words are words.
const MIN_VALUE_LENGTH: usize = 6;

/// `text` without what looks like a secret.
pub(super) fn without_tokens(text: &str) -> Cow<'_, str> {
    let mut found: Vec<Range<usize>> = Vec::new();
    // Texts are short and many, so one pass takes less than looking for each beginning.
    for (at, two) in text.as_bytes().windows(2).enumerate() {
        match two {
            b"gh" | b"gi" | b"gl" | b"xo" | b"AK" | b"sk" => found.extend(token(text, at)),
            b"ea" => found.extend(bearer(text, at)),
            b"--" => found.extend(argument(text, at)),
            _ => {}
        }
    }
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    found.sort_unstable_by_key(|range| (range.start, range.end));
    let (mut result, mut end) = (String::new(), 0);
    for range in found {
        if range.start >= end {
            result.push_str(&text[end..range.start]);
            result.push_str(REDACTED);
        }
        end = end.max(range.end);
    }
    result.push_str(&text[end..]);
    Cow::Owned(result)
}

/// The token that begins here, if it is long enough and no part of a word.
fn token(text: &str, at: usize) -> Option<Range<usize>> {
    let mut tokens = TOKENS.iter();
    let (start, least) = tokens.find(|(start, _)| text[at..].starts_with(start))?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    let rest = &text[at + start.len()..];
    let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    // Words with hyphens are long as well, and have no digits.
    let has_digit = rest[..length].contains(|c: char| c.is_ascii_digit());
    let end = at + start.len() + length;
    (length >= *least && has_digit && !is_file(text, at, end)).then_some(at..end)
}

/// What stands behind a `Bearer`.
fn bearer(text: &str, at: usize) -> Option<Range<usize>> {
    if !text[..at].ends_with(['B', 'b']) {
        return None;
    }
    let rest = text[at..].strip_prefix("earer ")?.trim_start_matches(' ');
    let start = text.len() - rest.len();
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-._~+/=".contains(c);
    let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    // A path is what something is done to.
    let is_path = rest.starts_with(['/', '.', '~']);
    (length >= MIN_VALUE_LENGTH && !is_path).then(|| start..start + length)
}

/// The value of an argument, in a command or in a list of words as JSON has it. Of a command only
/// what a shell takes as it is can be a value: the rest is what runs, and stays.
fn argument(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = &text[at + 2..];
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let (name, rest) = rest.split_at(rest.find(|c| !is_name(c))?);
    let name = name.to_ascii_lowercase().replace('_', "-");
    if !ARGUMENTS.iter().any(|end| name.ends_with(end)) || is_behind_options(&text[..at]) {
        return None;
    }
    let mut between = ["=", "\",", " ", "\t"].into_iter();
    let between = between.find(|between| rest.starts_with(between))?;
    let is_list = between == "\",";
    let mut value = rest[between.len()..].trim_start_matches([' ', '\t']);
    let mut quotes = ["\\\"", "\"", "'"].into_iter();
    let quote = quotes.find(|quote| value.starts_with(quote));
    value = &value[quote.map_or(0, str::len)..];
    let start = text.len() - value.len();
    let length = match quote {
        Some(quote) => value
            .match_indices(quote)
            .map(|(at, _)| at)
            .find(|at| !value[..*at].ends_with('\\')),
        None => value.find(|c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '\\') || !is_list && RUN.contains(c)
        }),
    };
    let length = length.unwrap_or(value.len());
    // Quotes do not always keep a shell from it: some are inside others, or are read twice.
    if !is_list && value[..length].contains(|c| RUN.contains(c)) {
        return None;
    }
    // What follows is the next argument, or a variable.
    let is_value = length > 0 && !value.starts_with("--") && !value.starts_with('$');
    is_value.then(|| start..start + length)
}

/// Programs that take nothing but files behind their options.
#[rustfmt::skip]
const ON_FILES: &[&str] = &[
    "cat", "chmod", "chown", "cp", "ln", "ls", "mkdir", "mv", "rm", "rmdir", "shred", "touch",
    "truncate", "unlink",
];
/// Programs whose first word is the file that they run.
#[rustfmt::skip]
const RUNNERS: &[&str] = &[
    ".", "bash", "dash", "node", "perl", "python", "python3", "ruby", "sh", "source", "zsh",
];

/// Whether a word that looks like a token is a file by where it stands.
fn is_file(text: &str, start: usize, end: usize) -> bool {
    let ends_word = |c: char| c.is_whitespace() || "\"'=;|&()<>".contains(c);
    let word = &text[text[..start].rfind(ends_word).map_or(0, |at| at + 1)..];
    let word = &word[..word.find(ends_word).unwrap_or(word.len())];
    // An address may have one anywhere.
    if word.contains("://") {
        return false;
    }
    let mut behind = text[end..].chars();
    let is_name = match behind.next() {
        Some('/') => true,
        Some('.') => behind.next().is_some_and(|c| c.is_ascii_alphanumeric()),
        _ => false,
    };
    is_name || text[..start].ends_with('/') || is_operand(&text[..start])
}

/// Whether the next word is a file, or the program itself, by the words of the command before it.
fn is_operand(before: &str) -> bool {
    // In a text for people any word may stand anywhere.
    if !before.ends_with([' ', '"', '\'']) {
        return false;
    }
    let mut words = words(before);
    let Some(program) = words.next() else {
        return false;
    };
    let is_option = |word: &str| word.starts_with('-');
    ON_FILES.contains(&program) || RUNNERS.contains(&program) && words.all(is_option)
}

/// Whether what looks like an option is none: options have ended, and the rest are files.
fn is_behind_options(before: &str) -> bool {
    let mut words = words(before);
    let program = words.next().unwrap_or_default();
    ON_FILES.contains(&program) && words.any(|word| word == "--")
}

/// The words of the last command of a text, from the name of its program on.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let command = text
        .rsplit([';', '|', '&', '\n', '(', '`', '{', ':'])
        .next();
    let words = command.unwrap_or_default();
    let words = words.split(|c: char| c.is_whitespace() || "\"',[]\\".contains(c));
    let mut words = words.filter(|word| !word.is_empty());
    let program = words
        .next()
        .map(|word| word.rsplit('/').next().unwrap_or(word));
    program.into_iter().chain(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_secret_is_gone() {
        let check = |text: &str, expected: &str| assert_eq!(without_tokens(text), expected);
        check(
            r#"["-H","Authorization: Bearer ghp_0123456789abcdefABCDEF","x"]"#,
            r#"["-H","Authorization: Bearer …redacted","x"]"#,
        );
        check("a:ghp_0123456789abcdefABCDEF.", "a:…redacted.");
        check(
            "K=github_pat_11ABCDEFG0abcdefghij_k sk-proj-0123456789abcdefghij",
            "K=…redacted …redacted",
        );
        check(
            "AKIAIOSFODNN7EXAMPLE glpat-0123456789abcdefghij",
            "…redacted …redacted",
        );
        check("xoxb-123456789012-abc", "…redacted");
        check(
            "authorization: bearer abc.def-123",
            "authorization: bearer …redacted",
        );
    }

    #[test]
    fn every_beginning_is_known_by_its_first_letters() {
        for (start, least) in TOKENS {
            let token = format!("{start}{}", "a1".repeat(*least));
            assert_eq!(without_tokens(&format!("é {token} é")), "é …redacted é");
        }
    }

    #[test]
    fn values_of_arguments_are_gone() {
        let check = |text: &str, expected: &str| assert_eq!(without_tokens(text), expected);
        check("x --password=hunter2 y", "x --password=…redacted y");
        check("x --db-password hunter2 y", "x --db-password …redacted y");
        check("x --password='a b' y", "x --password='…redacted' y");
        check(
            r#"["--token","abc d","y"]"#,
            r#"["--token","…redacted","y"]"#,
        );
        check(r#"["--api-key=abc","y"]"#, r#"["--api-key=…redacted","y"]"#);
        check(
            r#"["-c","x --token \"a b\""]"#,
            r#"["-c","x --token \"…redacted\""]"#,
        );
        check(r#"["--api_key=abc"]"#, r#"["--api_key=…redacted"]"#);
        check(r#"["--token","a$b"]"#, r#"["--token","…redacted"]"#);
    }

    #[test]
    fn what_a_shell_would_run_stays() {
        let check = |text: &str, expected: &str| assert_eq!(without_tokens(text), expected);
        check(
            "x --token=b;touch${IFS}y",
            "x --token=…redacted;touch${IFS}y",
        );
        for text in [
            r#"x --token "a$(touch y; ls -la)""#,
            r#"x --token "a`id`""#,
            r#"["-c","x --token \"$(id)\""]"#,
            "x --token $(id)",
            "x --token `id`",
            "x --token (id)",
            "rm -rf bearer /home/user/work",
            "sh -c \"x --token '$(id)'\"",
            "eval x --token 'a;id'",
        ] {
            assert_eq!(without_tokens(text), text);
        }
        check("x --token a|id", "x --token …redacted|id");
    }

    #[test]
    fn what_is_done_to_files_stays() {
        for text in [
            "rm -rf -- --token important/dir",
            "rm -rf -- --token important",
            r#"["rm","-rf","--","--token","important"]"#,
            "true; /bin/mv -- --password a b",
            "sh ./sk-aaaaaaaaaaaaaaaaaaaaaaa1.sh",
            "sh sk-aaaaaaaaaaaaaaaaaaaaaaa1",
            "bash -e 'sk-aaaaaaaaaaaaaaaaaaaaaaa1'",
            r#"["sh","sk-aaaaaaaaaaaaaaaaaaaaaaa1"]"#,
            "./ghp_0123456789abcdefABCDEF --all",
            "rm -rf x sk-aaaaaaaaaaaaaaaaaaaaaaa1",
            "cp a ghp_0123456789abcdefABCDEF/b",
        ] {
            assert_eq!(without_tokens(text), text);
        }
        for (text, expected) in [
            (
                "npm run deploy -- --token abc123",
                "npm run deploy -- --token …redacted",
            ),
            (
                "rm -- x; curl --token abc123 y",
                "rm -- x; curl --token …redacted y",
            ),
            ("sh up.sh sk-aaaaaaaaaaaaaaaaaaaaaaa1", "sh up.sh …redacted"),
            (
                "curl https://x/ghp_0123456789abcdefABCDEF/y",
                "curl https://x/…redacted/y",
            ),
            ("KEY=sk-aaaaaaaaaaaaaaaaaaaaaaa1 sh x", "KEY=…redacted sh x"),
        ] {
            assert_eq!(without_tokens(text), expected);
        }
    }

    #[test]
    fn words_stay() {
        for text in [
            "Bearer of news",
            "--token-file tokens.txt --max-tokens 5",
            "--password --verbose",
            "--password $SECRET",
            r#"["--password"]"#,
            "task-0123456789abcdefghijklmn",
            "sk-learn-estimators-and-their-fields",
            "ghp_short",
            "desk-lamp --",
        ] {
            assert_eq!(without_tokens(text), text);
        }
    }
}

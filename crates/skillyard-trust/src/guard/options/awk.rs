//! Programs of `awk`, which start others (`system`, `|`) and write files (`print > …`).

use super::super::shell::Word;
use super::{starts, unseen};

/// Letters of options that read a program from elsewhere, or write a file.
const ELSEWHERE: &str = "fEildDopW";
/// Long options of this kind.
const LONG: &[&str] = &[
    "--file",
    "--exec",
    "--include",
    "--load",
    "--debug",
    "--dump-variables",
    "--pretty-print",
    "--profile",
];

/// Why a program behind the first `named` words is dangerous, if it is.
pub(super) fn awk(words: &[Word], named: usize) -> Option<String> {
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let Some(text) = word.literal() else {
            return (at >= named).then(|| unseen("awk"));
        };
        at += 1;
        if text == "--" {
            break;
        }
        if let Some(program) = text.strip_prefix("--source=") {
            return danger(program).filter(|_| at > named);
        }
        if super::is_long(text, LONG) && at > named {
            return Some(starts("awk", text));
        }
        if text == "--source" {
            break;
        }
        if text.starts_with("--") {
            continue;
        }
        let Some(letters) = text.strip_prefix('-').filter(|it| !it.is_empty()) else {
            at -= 1;
            break;
        };
        let ends = |c: char| "eFv".contains(c) || ELSEWHERE.contains(c);
        let Some(end) = letters.find(ends) else {
            continue;
        };
        let value = &letters[end + 1..];
        match letters.as_bytes()[end] {
            b'e' if value.is_empty() => break,
            b'e' => return danger(value).filter(|_| at > named),
            // Their values stand behind them.
            b'F' | b'v' => at += usize::from(value.is_empty()),
            _ if at > named => return Some(starts("awk", text)),
            _ => {}
        }
    }
    match words.get(at).filter(|_| at >= named)? {
        Word::Literal(program) => danger(program),
        Word::Open { .. } => Some("the program of `awk` is only known when it runs".into()),
    }
}

fn danger(program: &str) -> Option<String> {
    let code = code(program);
    let mut words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    let what = if words.any(|word| word == "system") {
        "system"
    } else if code.replace("||", "").contains('|') {
        "|"
    } else if code.contains('@') {
        "@"
    } else if prints_elsewhere(&code) {
        ">"
    } else {
        return None;
    };
    Some(format!(
        "`{what}` in its program lets `awk` start other programs or write files"
    ))
}

/// A program without what stands in its strings, patterns and comments; what is always written to
/// stays.
fn code(program: &str) -> String {
    let (mut code, mut rest) = (String::new(), program.chars().peekable());
    while let Some(next) = rest.next() {
        let before = code.trim_end_matches([' ', '\t']).chars().last();
        let begins = before.is_none_or(|it| "(,{};!~&|\n".contains(it));
        match next {
            '"' | '/' if next == '"' || begins => {
                let mut text = String::new();
                while let Some(inner) = rest.next() {
                    match inner {
                        '\\' => text.extend(rest.next()),
                        '\n' => {
                            code.push('\n');
                            break;
                        }
                        _ if inner == next => break,
                        _ => text.push(inner),
                    }
                }
                let is_stream = matches!(&*text, "/dev/stdout" | "/dev/stderr");
                code.push_str(if is_stream && next == '"' {
                    "STREAM"
                } else {
                    "0"
                });
            }
            '#' => while rest.next_if(|it| *it != '\n').is_some() {},
            _ => code.push(next),
        }
    }
    code
}

/// Whether a `print` writes to a file: a comparison stands in parentheses there.
fn prints_elsewhere(code: &str) -> bool {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices("print").any(|(at, _)| {
        let is_word = !code[..at].ends_with(is_of_name);
        let mut depth = 0_usize;
        let statement = code[at..].char_indices();
        let to = statement.take_while(|(_, c)| !matches!(c, ';' | '\n' | '}'));
        let to = to.filter_map(|(inner, c)| {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            (c == '>' && depth == 0).then_some(at + inner)
        });
        let mut to = to.map(|at| code[at..].trim_start_matches(['>', ' ', '\t']));
        is_word && to.next().is_some_and(|to| !to.starts_with("STREAM"))
    })
}

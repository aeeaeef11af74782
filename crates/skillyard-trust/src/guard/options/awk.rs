//! Programs of `awk`, which start others (`system`, `|`) and write files (`print > …`).

use std::iter::Peekable;
use std::str::Chars;

use super::super::shell::Word;
use super::{starts, unseen};

/// Letters of options that read a program from elsewhere, or write a file.
const ELSEWHERE: &str = "fEildDopW";
/// What stands in the place of a stream that is always written to; no program has it.
const STREAM: char = '\u{1}';
/// Long options that only say how the program is read.
const HARMLESS: &[&str] = &[
    "--posix",
    "--traditional",
    "--re-interval",
    "--characters-as-bytes",
    "--csv",
    "--non-decimal-data",
    "--lint",
    "--optimize",
    "--no-optimize",
];
/// Long options with a value, here or in the next word.
const VALUES: &[&str] = &["--field-separator", "--assign"];

/// Why a program behind the first `named` words is dangerous, if it is.
pub(super) fn awk(words: &[Word], named: usize) -> Option<String> {
    let mut at = 1;
    let mut has_program = false;
    while let Some(word) = words.get(at) {
        let Some(text) = word.literal() else {
            return (at >= named).then(|| unseen("awk"));
        };
        let is_judged = at >= named;
        at += 1;
        if text == "--" {
            break;
        }
        if let Some(program) = text.strip_prefix("--source=") {
            has_program = true;
            match danger(program).filter(|_| is_judged) {
                None => continue,
                reason => return reason,
            }
        }
        if text.starts_with("--") && text != "--source" {
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (text, None),
            };
            if VALUES.contains(&name) {
                at += usize::from(value.is_none());
            } else if is_judged && !HARMLESS.contains(&text) {
                return Some(starts("awk", text));
            }
            continue;
        }
        let Some(letters) = text.strip_prefix('-').filter(|it| !it.is_empty()) else {
            at -= 1;
            break;
        };
        let ends = |c: char| "eFv".contains(c) || ELSEWHERE.contains(c);
        let end = letters.find(ends).filter(|_| text != "--source");
        let (letter, value) = match end {
            Some(end) => (letters.as_bytes()[end], &letters[end + 1..]),
            None if text == "--source" => (b'e', ""),
            None => continue,
        };
        match letter {
            b'e' => {
                has_program = true;
                let reason = if value.is_empty() {
                    at += 1;
                    words.get(at - 1).and_then(|word| judged(word, at > named))
                } else {
                    danger(value).filter(|_| is_judged)
                };
                if reason.is_some() {
                    return reason;
                }
            }
            // Their values stand behind them.
            b'F' | b'v' => at += usize::from(value.is_empty()),
            _ if is_judged => return Some(starts("awk", text)),
            _ => {}
        }
    }
    if has_program {
        return None;
    }
    words.get(at).and_then(|word| judged(word, at >= named))
}

/// Why a program in a word is dangerous, if it is.
fn judged(word: &Word, is_judged: bool) -> Option<String> {
    match word {
        _ if !is_judged => None,
        Word::Literal(program) => danger(program),
        Word::Open { .. } => Some("the program of `awk` is only known when it runs".into()),
    }
}

fn danger(program: &str) -> Option<String> {
    let code = code(program);
    let dangerous = match &code {
        Some(code) => dangerous(code, prints_elsewhere),
        // Where a string, a pattern or a statement ends is open, so all of it counts.
        None => dangerous(program, |text| {
            let printed = text.find("print").map(|at| &text[at..]);
            printed.is_some_and(|rest| rest.contains('>'))
        }),
    };
    dangerous.map(|what| {
        format!("`{what}` in its program lets `awk` start other programs or write files")
    })
}

fn dangerous(code: &str, prints: impl Fn(&str) -> bool) -> Option<&'static str> {
    let mut words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    if words.any(|word| word == "system") {
        Some("system")
    } else if code.replace("||", "").contains('|') {
        Some("|")
    } else if code.contains('@') {
        Some("@")
    } else if prints(code) {
        Some(">")
    } else {
        None
    }
}

/// A program without what stands in its strings, patterns and comments; what is always written to
/// stays as a mark. Nothing where it cannot be told where one of them ends.
fn code(program: &str) -> Option<String> {
    if program.contains("\\\n") || program.contains(STREAM) {
        return None;
    }
    let (mut code, mut rest) = (String::new(), program.chars().peekable());
    while let Some(next) = rest.next() {
        match next {
            '"' => {
                let text = string(&mut rest)?;
                let is_stream = matches!(&*text, "/dev/stdout" | "/dev/stderr");
                code.push(if is_stream { STREAM } else { '0' });
            }
            '/' if begins_pattern(&code)? => {
                pattern(&mut rest)?;
                code.push('0');
            }
            '#' => while rest.next_if(|it| *it != '\n').is_some() {},
            _ => code.push(next),
        }
    }
    Some(code)
}

/// The text of a string, whose first quote was read.
fn string(rest: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut text = String::new();
    loop {
        match rest.next()? {
            '\n' => return None,
            '\\' => text.extend(rest.next()),
            '"' => return Some(text),
            inner => text.push(inner),
        }
    }
}

/// Reads a pattern to its end. Nothing where a `/` stands in brackets, which is the end for some.
fn pattern(rest: &mut Peekable<Chars<'_>>) -> Option<()> {
    loop {
        match rest.next()? {
            '\n' => return None,
            '\\' => drop(rest.next()?),
            '/' => return Some(()),
            '[' => brackets(rest)?,
            _ => {}
        }
    }
}

fn brackets(rest: &mut Peekable<Chars<'_>>) -> Option<()> {
    rest.next_if_eq(&'^');
    rest.next_if_eq(&']');
    loop {
        match rest.next()? {
            ']' => return Some(()),
            '/' | '\n' => return None,
            '\\' => drop(rest.next()?),
            '[' => {
                let Some(kind) = rest.next_if(|it| ":.=".contains(*it)) else {
                    continue;
                };
                while rest.next_if(char::is_ascii_alphabetic).is_some() {}
                (rest.next()? == kind && rest.next()? == ']').then_some(())?;
            }
            _ => {}
        }
    }
}

/// Whether a `/` behind this code begins a pattern; nothing where that cannot be told.
fn begins_pattern(code: &str) -> Option<bool> {
    let before = code.trim_end_matches([' ', '\t']);
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    match before.chars().last() {
        None => Some(true),
        Some(last) if "(,{};!~&|\n".contains(last) => Some(true),
        Some(')' | ']') => Some(false),
        Some(last) if is_of_name(last) => {
            let word = before.rsplit(|c| !is_of_name(c)).next().unwrap_or_default();
            let is_keyword = matches!(
                word,
                "print" | "printf" | "return" | "in" | "getline" | "case" | "else" | "do" | "exit"
            );
            (!is_keyword).then_some(false)
        }
        Some(_) => None,
    }
}

/// Whether a `print` writes to a file: a comparison stands in parentheses there.
fn prints_elsewhere(code: &str) -> bool {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices("print").any(|(at, _)| {
        let is_word = !code[..at].ends_with(is_of_name);
        let mut depth = 0_usize;
        let mut last = ' ';
        let statement = code[at..].char_indices();
        let to = statement.take_while(|(_, c)| {
            // A list goes on behind a comma.
            let ends = matches!(c, ';' | '}') || *c == '\n' && last != ',';
            last = if c.is_whitespace() { last } else { *c };
            !ends
        });
        let to = to.filter_map(|(inner, c)| {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            (c == '>' && depth == 0).then_some(at + inner)
        });
        let mut to = to.map(|at| code[at..].trim_start_matches(['>', ' ', '\t']));
        is_word && to.next().is_some_and(|to| !to.starts_with(STREAM))
    })
}

//! Programs of `awk`, which start others (`system`, `|`) and write files (`print > …`).

use std::iter::Peekable;
use std::str::Chars;

use crate::guard::options::{starts, unseen};
use crate::guard::shell::Word;

/// Letters of options that read a program from elsewhere, or write a file.
const FILE_LETTERS: &str = "fEildDopW";
/// Long options that only say how the program is read.
#[rustfmt::skip]
const HARMLESS_OPTIONS: &[&str] = &[
    "--posix", "--traditional", "--re-interval", "--characters-as-bytes", "--csv",
    "--non-decimal-data", "--lint", "--optimize", "--no-optimize",
];
/// Long options with a value, here or in the next word.
const VALUE_OPTIONS: &[&str] = &["--field-separator", "--assign"];

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
            match program_danger(program).filter(|_| is_judged) {
                None => continue,
                reason => return reason,
            }
        }
        if text.starts_with("--") && text != "--source" {
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (text, None),
            };
            if VALUE_OPTIONS.contains(&name) {
                let skipped = value.is_none().then(|| words.get(at)).flatten();
                at += usize::from(value.is_none());
                // Not every `awk` has the long option, and the value is the program then.
                if let Some(reason) = skipped.and_then(|word| judge_word(word, at > named)) {
                    return Some(reason);
                }
            } else if is_judged && !HARMLESS_OPTIONS.contains(&text) {
                return Some(starts("awk", text));
            }
            continue;
        }
        let Some(letters) = text.strip_prefix('-').filter(|it| !it.is_empty()) else {
            at -= 1;
            break;
        };
        let ends = |c: char| "eFv".contains(c) || FILE_LETTERS.contains(c);
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
                    words
                        .get(at - 1)
                        .and_then(|word| judge_word(word, at > named))
                } else {
                    program_danger(value).filter(|_| is_judged)
                };
                if reason.is_some() {
                    return reason;
                }
            }
            // Their values stand behind them.
            b'F' | b'v' if !value.is_empty() => {}
            b'F' | b'v' => {
                at += 1;
                // Not every `awk` knows the letters before it, and the value is the program then.
                let skipped = words.get(at - 1).filter(|_| text.len() > 2);
                if let Some(reason) = skipped.and_then(|word| judge_word(word, at > named)) {
                    return Some(reason);
                }
            }
            _ if is_judged => return Some(starts("awk", text)),
            _ => {}
        }
    }
    let first = words.get(at);
    // Not every `awk` has `--source`, and the first operand is the program then.
    let first = first.filter(|word| !has_program || word.literal().is_some());
    first.and_then(|word| judge_word(word, at >= named))
}

/// Why a program in a word is dangerous, if it is.
fn judge_word(word: &Word, is_judged: bool) -> Option<String> {
    match word {
        _ if !is_judged => None,
        Word::Literal(program) => program_danger(program),
        Word::Open { .. } => Some("the program of `awk` is only known when it runs".into()),
    }
}

/// What stands in the place of a stream that is always written to; no program has it.
const STREAM: char = '\u{1}';

/// Why a program is dangerous, if it is.
pub(super) fn program_danger(program: &str) -> Option<String> {
    let strip_strings = strip_strings(program);
    let dangerous_code = match &strip_strings {
        Some(strip_strings) => dangerous_code(strip_strings, prints_elsewhere),
        // Where a string, a pattern or a statement ends is open, so all of it counts.
        None => dangerous_code(program, |text| {
            let printed = text.find("print").map(|at| &text[at..]);
            printed.is_some_and(|rest| rest.contains('>'))
        }),
    };
    dangerous_code.map(|what| {
        format!("`{what}` in its program lets `awk` start other programs or write files")
    })
}

fn dangerous_code(strip_strings: &str, prints: impl Fn(&str) -> bool) -> Option<&'static str> {
    // In `1system(…)` a number precedes it, and no other name begins there.
    if strip_strings.contains("system") {
        Some("system")
    } else if strip_strings.replace("||", "").contains('|') {
        Some("|")
    } else if strip_strings.contains('@') {
        Some("@")
    } else if prints(strip_strings) {
        Some(">")
    } else {
        None
    }
}

/// A program without what stands in its strings, patterns and comments; what is always written to
/// stays as a mark. `None` if the end of one of them is unknown.
fn strip_strings(program: &str) -> Option<String> {
    if program.contains("\\\n") || program.contains(STREAM) {
        return None;
    }
    let (mut strip_strings, mut rest) = (String::new(), program.chars().peekable());
    while let Some(next) = rest.next() {
        match next {
            '"' => {
                let text = read_string(&mut rest)?;
                let is_stream = matches!(&*text, "/dev/stdout" | "/dev/stderr");
                strip_strings.push(if is_stream { STREAM } else { '0' });
            }
            '/' if begins_pattern(&strip_strings)? => {
                skip_pattern(&mut rest)?;
                strip_strings.push('0');
            }
            '#' => while rest.next_if(|it| *it != '\n').is_some() {},
            // It carries a line on, and there are more ways to write that than one.
            '\\' => return None,
            _ => strip_strings.push(next),
        }
    }
    Some(strip_strings)
}

/// The text of a string as it is written, whose first quote was read.
fn read_string(rest: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut text = String::new();
    loop {
        match rest.next()? {
            '\n' => return None,
            '\\' => {
                text.push('\\');
                text.extend(rest.next());
            }
            '"' => return Some(text),
            inner => text.push(inner),
        }
    }
}

/// Reads a pattern to its end. Nothing where a `/` stands in brackets, which is the end for some.
fn skip_pattern(rest: &mut Peekable<Chars<'_>>) -> Option<()> {
    loop {
        match rest.next()? {
            '\n' => return None,
            '\\' => drop(rest.next()?),
            '/' => return Some(()),
            '[' => skip_brackets(rest)?,
            _ => {}
        }
    }
}

fn skip_brackets(rest: &mut Peekable<Chars<'_>>) -> Option<()> {
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

/// Whether a `/` behind this code begins a pattern; `None` if unknown.
fn begins_pattern(strip_strings: &str) -> Option<bool> {
    let before = strip_strings.trim_end_matches([' ', '\t']);
    match before.chars().last() {
        None => Some(true),
        // Behind `x++` it divides.
        Some('+' | '-') if before.ends_with("++") || before.ends_with("--") => None,
        Some(last) if "(,{};!~&|\n=?:<>+-*%^".contains(last) => Some(true),
        Some(']' | STREAM) => Some(false),
        // Behind `if (…)` a statement begins, though some take it for a division there too.
        Some(')') => {
            let word = last_word(opened(before)?.trim_end());
            (!matches!(word, "if" | "while" | "for" | "switch")).then_some(false)
        }
        Some(last) if is_of_name(last) => match last_word(before) {
            "print" | "printf" | "return" | "in" | "case" | "else" | "do" | "exit" => Some(true),
            // They can stand alone, and so be divided.
            "getline" | "length" => None,
            _ => Some(false),
        },
        Some(_) => None,
    }
}

/// The code before the parenthesis that the last one closes.
fn opened(strip_strings: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, c) in strip_strings.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' if depth == 1 => return Some(&strip_strings[..at]),
            '(' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn last_word(strip_strings: &str) -> &str {
    strip_strings
        .rsplit(|c| !is_of_name(c))
        .next()
        .unwrap_or_default()
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether a `print` writes to a file: a comparison stands in parentheses there.
fn prints_elsewhere(strip_strings: &str) -> bool {
    strip_strings.match_indices("print").any(|(at, _)| {
        let is_word = !strip_strings[..at].ends_with(is_of_name);
        let mut depth = 0_usize;
        let mut last = ' ';
        let statement = strip_strings[at..].char_indices();
        let to = statement.take_while(|(_, c)| {
            // A line ends behind a whole expression only, and goes on behind `,` or `&&`.
            let is_whole = is_of_name(last) || matches!(last, ')' | ']' | STREAM);
            let ends = matches!(c, ';' | '}') || *c == '\n' && is_whole;
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
        let mut to = to.map(|at| strip_strings[at..].trim_start_matches(['>', ' ', '\t']));
        is_word && to.any(|to| !is_stream_alone(to))
    })
}

/// Whether nothing is added to the name of a stream, by which it would be another file.
fn is_stream_alone(strip_strings: &str) -> bool {
    let rest = strip_strings.strip_prefix(STREAM);
    rest.is_some_and(|rest| {
        let rest = rest.trim_start_matches([' ', '\t']);
        rest.is_empty() || rest.starts_with([';', '}', '\n', '>'])
    })
}

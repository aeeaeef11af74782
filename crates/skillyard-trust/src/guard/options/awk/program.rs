//! A program of `awk`, with what it says apart from what it only names.

use std::iter::Peekable;
use std::str::Chars;

/// What stands in the place of a stream that is always written to; no program has it.
const STREAM: char = '\u{1}';

/// Why a program is dangerous, if it is.
pub(super) fn danger(program: &str) -> Option<String> {
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
    // In `1system(…)` a number stands before it, and no other name begins there.
    if code.contains("system") {
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
            // It carries a line on, and there are more ways to write that than one.
            '\\' => return None,
            _ => code.push(next),
        }
    }
    Some(code)
}

/// The text of a string as it is written, whose first quote was read.
fn string(rest: &mut Peekable<Chars<'_>>) -> Option<String> {
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
fn opened(code: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, c) in code.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' if depth == 1 => return Some(&code[..at]),
            '(' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn last_word(code: &str) -> &str {
    code.rsplit(|c| !is_of_name(c)).next().unwrap_or_default()
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether a `print` writes to a file: a comparison stands in parentheses there.
fn prints_elsewhere(code: &str) -> bool {
    code.match_indices("print").any(|(at, _)| {
        let is_word = !code[..at].ends_with(is_of_name);
        let mut depth = 0_usize;
        let mut last = ' ';
        let statement = code[at..].char_indices();
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
        let mut to = to.map(|at| code[at..].trim_start_matches(['>', ' ', '\t']));
        is_word && to.any(|to| !is_stream_alone(to))
    })
}

/// Whether nothing is added to the name of a stream, by which it would be another file.
fn is_stream_alone(code: &str) -> bool {
    let rest = code.strip_prefix(STREAM);
    rest.is_some_and(|rest| {
        let rest = rest.trim_start_matches([' ', '\t']);
        rest.is_empty() || rest.starts_with([';', '}', '\n', '>'])
    })
}

//! Programs of `awk`, which start others (`system`, `|`) and write files (`print > …`).

mod program;

use super::super::shell::Word;
use super::{starts, unseen};
use program::danger;

/// Letters of options that read a program from elsewhere, or write a file.
const ELSEWHERE: &str = "fEildDopW";
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
                let skipped = value.is_none().then(|| words.get(at)).flatten();
                at += usize::from(value.is_none());
                // Not every `awk` has the long option, and the value is the program then.
                if let Some(reason) = skipped.and_then(|word| judged(word, at > named)) {
                    return Some(reason);
                }
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
            b'F' | b'v' if !value.is_empty() => {}
            b'F' | b'v' => {
                at += 1;
                // Not every `awk` knows the letters before it, and the value is the program then.
                let skipped = words.get(at - 1).filter(|_| text.len() > 2);
                if let Some(reason) = skipped.and_then(|word| judged(word, at > named)) {
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
    first.and_then(|word| judged(word, at >= named))
}

/// Why a program in a word is dangerous, if it is.
fn judged(word: &Word, is_judged: bool) -> Option<String> {
    match word {
        _ if !is_judged => None,
        Word::Literal(program) => danger(program),
        Word::Open { .. } => Some("the program of `awk` is only known when it runs".into()),
    }
}

//! Programs that run commands later, or again and again: what they read is the text of a shell, and
//! nobody asks about it once more when it runs.

use super::interpreter::is_interpreter;
use super::options::letters;
use super::pattern::base_name;
use super::shell::Word;
use super::wrapper::fills_in;

/// Whether a command hands what it reads to a shell, from its input or from a file.
pub(super) fn runs(words: &[Word]) -> bool {
    let Some((Some(program), arguments)) =
        words.split_first().map(|(it, rest)| (it.literal(), rest))
    else {
        return false;
    };
    // Letters that only ask or take away, and letters with a value.
    let (asks, valued) = match base_name(program) {
        "at" => ("Vcdhlr", "fqtu"),
        "batch" => ("Vh", "fqu"),
        "crontab" => ("TVhlr", "pux"),
        _ => return false,
    };
    let mut only_asks = false;
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let Some(text) = word.literal() else {
            if word.may_hide_an_option() {
                return true;
            }
            continue;
        };
        if text == "--" {
            break;
        }
        for (letter, value) in letters(text, valued) {
            // `at -b` is `batch`, whatever else was said; `crontab -e` starts an editor.
            if matches!(letter, 'b' | 'e') {
                return true;
            }
            only_asks |= asks.contains(letter);
            if value == Some("") {
                rest.next();
            }
        }
    }
    !only_asks
}

/// Whether one of them stands behind a program that starts others, where a command may begin.
pub(super) fn runs_behind(program: &str, arguments: &[Word]) -> bool {
    // To these a word may as well be what is looked for.
    if is_interpreter(program) || fills_in(program) {
        return false;
    }
    let mut takes_value = false;
    for (at, word) in arguments.iter().enumerate() {
        if runs(&arguments[at..]) {
            return true;
        }
        let text = word.literal().unwrap_or("-");
        let is_value = std::mem::take(&mut takes_value);
        let is_option = text.starts_with('-');
        takes_value = is_option && !text.contains('=');
        let begins_with_digit = text.starts_with(|c: char| c.is_ascii_digit());
        // Behind other words it is a word of their command, as in `sudo npm run batch`.
        if !(is_option || is_value || begins_with_digit || text.contains('=')) {
            return false;
        }
    }
    false
}

//! Programs that run commands later, or again and again: what they read is the text of a shell, and
//! it is not checked again when it runs.

use crate::guard::options::letters;
use crate::guard::pattern::base_name;
use crate::guard::programs::is_interpreter;
use crate::guard::shell::Word;
use crate::guard::wrapper::fills_in;

/// Whether a command hands what it reads to a shell, from its input or from a file.
pub(super) fn reads_commands(words: &[Word]) -> bool {
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

/// Whether one of them follows a program that starts others, where a command may begin.
pub(super) fn reads_commands_behind(program: &str, arguments: &[Word]) -> bool {
    // To these a word may as well be what is looked for.
    if is_interpreter(program) || fills_in(program) {
        return false;
    }
    let mut takes_value = false;
    for (at, word) in arguments.iter().enumerate() {
        if reads_commands(&arguments[at..]) {
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

/// Whether a builtin may run a command in the name of a variable.
pub(super) fn may_run_subscript(program: &str, arguments: &[Word]) -> bool {
    match program {
        "printf" => names_subscript(arguments, 'v'),
        "wait" => names_subscript(arguments, 'p'),
        "test" | "[" => arguments.windows(2).any(|pair| {
            let asks = matches!(pair[0].literal(), Some("-v" | "-R"));
            asks && !pair[1].literal().is_some_and(is_plain_name)
        }),
        _ => false,
    }
}

/// Whether an option before the operands is given such a name, in the same word or the next one.
fn names_subscript(arguments: &[Word], option: char) -> bool {
    let mut words = arguments.iter();
    while let Some(text) = words.next().and_then(Word::literal) {
        let Some(options) = text.strip_prefix('-').filter(|_| text != "--") else {
            return false;
        };
        let name = match options.split_once(option) {
            Some((_, "")) => words.next().and_then(Word::literal),
            Some((_, name)) => Some(name),
            None => continue,
        };
        if !name.is_some_and(is_plain_name) {
            return true;
        }
    }
    false
}

/// Whether a name holds nothing that is evaluated: other variables would be, too.
fn is_plain_name(name: &str) -> bool {
    let parts = name.strip_suffix(']').and_then(|name| name.split_once('['));
    let (name, subscript) = parts.unwrap_or((name, ""));
    name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && subscript.chars().all(|c| c.is_ascii_digit())
}

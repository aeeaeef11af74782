//! Builtins that take the name of a variable, in whose subscript the shell runs commands: the
//! word `'a[$(rm x)]'` is plain text to everybody else.

use super::shell::Word;

/// Whether a builtin may run a command in the name of a variable.
pub(super) fn may_run(program: &str, arguments: &[Word]) -> bool {
    match program {
        "printf" => names_one(arguments, 'v'),
        "wait" => names_one(arguments, 'p'),
        "test" | "[" => arguments.windows(2).any(|pair| {
            let asks = matches!(pair[0].literal(), Some("-v" | "-R"));
            asks && !pair[1].literal().is_some_and(is_plain)
        }),
        _ => false,
    }
}

/// Whether an option before the operands is given such a name, in the same word or the next one.
fn names_one(arguments: &[Word], option: char) -> bool {
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
        if !name.is_some_and(is_plain) {
            return true;
        }
    }
    false
}

/// Whether a name holds nothing that is evaluated: other variables would be, too.
fn is_plain(name: &str) -> bool {
    let parts = name.strip_suffix(']').and_then(|name| name.split_once('['));
    let (name, subscript) = parts.unwrap_or((name, ""));
    name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && subscript.chars().all(|c| c.is_ascii_digit())
}

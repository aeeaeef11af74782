//! Scripts of `sed`, which start programs (`e`) and write files (`w`) by their own commands.

use super::super::shell::Word;
use super::{starts, unseen};
use script::{Bad, judge};

mod pattern;
mod script;

/// Why a script behind the first `named` words is dangerous, if it is.
pub(super) fn sed(words: &[Word], named: usize) -> Option<String> {
    let mut given = Given::default();
    let mut at = 1;
    while at < words.len() {
        let was = at;
        at += 1;
        let is_judged = was >= named;
        let word = &words[was];
        let Some(text) = word.literal().filter(|_| !given.operands_only) else {
            if is_judged && !given.operands_only && word.may_hide_an_option() {
                return Some(unseen("sed"));
            }
            given.operand(word, is_judged);
            continue;
        };
        match option(text) {
            Said::End => given.operands_only = true,
            Said::Operand => given.operand(word, is_judged),
            // Where `-l` has no value, this is the script.
            Said::Value => {
                let is_number = |it: &str| it.bytes().all(|byte| byte.is_ascii_digit());
                let value = words.get(at).and_then(Word::literal);
                if at >= named && !value.is_some_and(is_number) {
                    return Some(starts("sed", text));
                }
                at += 1;
            }
            Said::File if is_judged => return Some(starts("sed", text)),
            Said::Nothing | Said::File => {}
            Said::Script(Some(script)) => given.script(Some(script), is_judged),
            Said::Script(None) => {
                let script = words.get(at).and_then(Word::literal);
                given.script(script, at >= named);
                at += 1;
            }
        }
    }
    let scripts = if given.scripts.is_empty() {
        given.first
    } else {
        // Where options end at the first operand, that one is the script.
        if let Some(Err(Bad::Danger(reason))) = given.first.first().copied().flatten().map(judge) {
            return Some(reason);
        }
        given.scripts
    };
    let judged: Option<Vec<&str>> = scripts.into_iter().collect();
    let Some(scripts) = judged else {
        return Some("a script of `sed` is only known when it runs".into());
    };
    match judge(&scripts.join("\n")) {
        Ok(()) => None,
        Err(Bad::Danger(reason)) => Some(reason),
        Err(Bad::Unread) => Some("what the script of `sed` does cannot be told".into()),
    }
}

/// The scripts of a command that are judged; none in the place of one that cannot be seen.
#[derive(Default)]
struct Given<'a> {
    scripts: Vec<Option<&'a str>>,
    /// The first operand, if no script was named before it; it is the script then.
    first: Vec<Option<&'a str>>,
    has_operands: bool,
    operands_only: bool,
}

impl<'a> Given<'a> {
    fn operand(&mut self, word: &'a Word, is_judged: bool) {
        // Behind `-i` of some systems it is what copies are called.
        if word.literal() == Some("") {
            return;
        }
        let is_first = !std::mem::replace(&mut self.has_operands, true);
        if is_first && is_judged && self.scripts.is_empty() {
            self.first.push(word.literal());
        }
    }

    /// What the pattern itself names is not judged, and is a script all the same.
    fn script(&mut self, script: Option<&'a str>, is_judged: bool) {
        self.scripts.push(if is_judged { script } else { Some("") });
    }
}

/// What a word is.
enum Said<'a> {
    Nothing,
    Operand,
    /// No options follow.
    End,
    /// A value follows that is no script.
    Value,
    /// A script that cannot be seen, or a file that is written elsewhere.
    File,
    /// A script, here or in the next word.
    Script(Option<&'a str>),
}

fn option(text: &str) -> Said<'_> {
    if text == "--" {
        return Said::End;
    }
    if let Some(long) = text.strip_prefix("--") {
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long, None),
        };
        return match name {
            _ if "expression".starts_with(name) => Said::Script(value),
            _ if "file".starts_with(name) => Said::File,
            // A copy would be made in another folder.
            _ if "in-place".starts_with(name) && value.is_some_and(is_away) => Said::File,
            _ if value.is_none() && "line-length".starts_with(name) => Said::Value,
            _ => Said::Nothing,
        };
    }
    let Some(letters) = text.strip_prefix('-').filter(|it| !it.is_empty()) else {
        return Said::Operand;
    };
    for (at, letter) in letters.char_indices() {
        let rest = &letters[at + letter.len_utf8()..];
        let rest = (!rest.is_empty()).then_some(rest);
        match letter {
            'e' => return Said::Script(rest),
            'f' => return Said::File,
            'l' if rest.is_none() => return Said::Value,
            'i' | 'I' if rest.is_some_and(is_away) => return Said::File,
            // What follows belongs to them.
            'i' | 'I' | 'l' => return Said::Nothing,
            _ => {}
        }
    }
    Said::Nothing
}

/// Whether what copies are called leads to another folder.
fn is_away(suffix: &str) -> bool {
    suffix.contains('/')
}

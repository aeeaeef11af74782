//! What `go` is told that starts other programs: flags of its linker, and settings that it keeps.

use super::super::shell::Word;
use super::{compiler, starts, unseen};

/// Flags whose values are flags of the tools that it starts.
const HANDED_ON: &[&str] = &["asmflags", "gcflags", "ldflags"];
/// Flags of those tools that are a program, or a file that they write.
#[rustfmt::skip]
const DANGEROUS: &[&str] = &[
    "asmhdr", "blockprofile", "cpuprofile", "extar", "extld", "linkobj", "memprofile", "mutexprofile", "o",
    "symabis", "traceprofile",
];

/// Why a word behind the first `named` ones is dangerous, if one is.
pub(super) fn go(words: &[Word], named: usize) -> Option<String> {
    let is_env = is_env(words);
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let was = at;
        at += 1;
        let Some(text) = word.literal() else { continue };
        let Some((name, value)) = flag(text) else {
            continue;
        };
        // It keeps what later commands start, out of the workspace.
        if is_env && name == "w" && was >= named {
            return Some(starts("go", text));
        }
        if !HANDED_ON.contains(&name) {
            continue;
        }
        let value = if value.is_some() {
            value
        } else {
            at += 1;
            words.get(at - 1).and_then(Word::literal)
        };
        // What the list has as a whole is its author's choice.
        if at <= named {
            continue;
        }
        match value {
            None => return Some(unseen("go")),
            Some(value) if is_dangerous(value) => return Some(starts("go", value)),
            Some(_) => {}
        }
    }
    None
}

/// Whether its command is `env`, before which only a folder may stand.
fn is_env(words: &[Word]) -> bool {
    let mut told = words.iter().skip(1).map(Word::literal);
    let command = loop {
        match told.next().flatten() {
            Some("-C" | "--C") => _ = told.next(),
            Some(text) if text.starts_with('-') => {}
            other => break other,
        }
    };
    command == Some("env")
}

/// The name and the value of a flag, which begins with one hyphen or two.
fn flag(text: &str) -> Option<(&str, Option<&str>)> {
    let text = text.strip_prefix('-')?;
    let text = text.strip_prefix('-').unwrap_or(text);
    Some(match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    })
}

/// Whether flags for the tools choose a program, or a file; `all=` may stand before them.
fn is_dangerous(flags: &str) -> bool {
    let is_for_compiler = flags.contains("extldflags");
    let bare = flags.replace(['"', '\''], " ");
    let mut words = bare.split_whitespace();
    words.any(|word| {
        let at = word.find("=-").map_or(0, |at| at + 1);
        [word, &word[at..]].into_iter().any(|word| {
            let name = flag(word).map(|(name, _)| name);
            name.is_some_and(|name| DANGEROUS.contains(&name))
                || is_for_compiler && compiler::chooses(word)
        })
    })
}

//! Words of other tools, put into ours.

use std::borrow::Cow;
use std::ffi::OsString;

/// For hands trained on other tools: `skillyard skill <verb>` is `skillyard <verb>`,
/// `skillyard agent chat` is `skillyard chat`, and `skillyard help <verb>` is
/// `skillyard <verb> --help`. Global options may stand before it.
pub(super) fn understood(arguments: &[OsString]) -> Cow<'_, [OsString]> {
    let start = 1 + options(arguments.get(1..).unwrap_or_default());
    let first = arguments.get(start).and_then(|word| word.to_str());
    if !matches!(first, Some("skill" | "agent" | "help")) {
        return Cow::Borrowed(arguments);
    }
    let (before, words) = arguments.split_at(start);
    let mut words = words.to_vec();
    let is = |words: &[OsString], at: usize, word: &str| {
        let found: Option<&OsString> = words.get(at);
        found.is_some_and(|each| each == word)
    };
    if is(&words, 0, "skill") {
        // There, without a name, these two show everything.
        let behind = words.get(2..).unwrap_or_default();
        let alone = options(behind) == behind.len();
        let asks = behind
            .last()
            .is_some_and(|word| word == "-h" || word == "--help");
        let is_asked = asks && options(behind) + 1 == behind.len();
        if alone && is(&words, 1, "show") {
            words[1] = "list".into();
        }
        // Alone it shows what it can do.
        let is_managed = is(&words, 1, "manage") && !alone && !is_asked;
        if is_managed && is(&words, 2, "list") {
            // What is managed is what was installed.
            words.push("--installed".into());
        }
        words.drain(..if is_managed { 2 } else { 1 });
    }
    if is(&words, 0, "agent") && is(&words, 1, "chat") {
        words.remove(0);
    }
    if is(&words, 0, "help") {
        words.remove(0);
        words.push("--help".into());
    }
    Cow::Owned([before, &words].concat())
}

/// How many words at the start are global options and their values.
fn options(words: &[OsString]) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at).and_then(|word| word.to_str()) {
        at += match word {
            "--color" | "--config" => 2,
            "--json" | "--quiet" | "--verbose" => 1,
            _ if word.starts_with("--color=") || word.starts_with("--config=") => 1,
            _ => match word.strip_prefix('-') {
                Some(letters)
                    if !letters.is_empty() && letters.trim_matches(['q', 'v']).is_empty() =>
                {
                    1
                }
                _ => break,
            },
        };
    }
    at.min(words.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_other_tools_are_understood() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        for (typed, meant) in [
            ("skillyard skill validate x", "skillyard validate x"),
            ("skillyard skill manage list", "skillyard list --installed"),
            ("skillyard skill manage", "skillyard manage"),
            ("skillyard skill manage --help", "skillyard manage --help"),
            ("skillyard skill manage update -h", "skillyard update -h"),
            ("skillyard skill manage remove x", "skillyard remove x"),
            ("skillyard skill show", "skillyard list"),
            ("skillyard agent chat x", "skillyard chat x"),
            ("skillyard skill show x", "skillyard show x"),
            ("skillyard skill", "skillyard"),
            ("skillyard validate skill", "skillyard validate skill"),
            ("skillyard help", "skillyard --help"),
            ("skillyard help list", "skillyard list --help"),
            ("skillyard skill help list", "skillyard list --help"),
            ("skillyard read help", "skillyard read help"),
            ("skillyard --json skill list", "skillyard --json list"),
            ("skillyard -qv skill show", "skillyard -qv list"),
            ("skillyard skill show --json", "skillyard list --json"),
            ("skillyard skill show x --json", "skillyard show x --json"),
            (
                "skillyard --color never --config=a=b agent chat x",
                "skillyard --color never --config=a=b chat x",
            ),
            ("skillyard --color skill", "skillyard --color skill"),
            ("skillyard -x skill list", "skillyard -x skill list"),
        ] {
            assert_eq!(understood(&words(typed)), words(meant));
        }
    }
}

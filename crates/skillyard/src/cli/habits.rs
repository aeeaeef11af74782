//! Words of other tools, put into ours.

use std::borrow::Cow;
use std::ffi::OsString;

/// For hands trained on other tools: `skillyard skill <verb>` is `skillyard <verb>`,
/// `skillyard agent chat` is `skillyard chat`, and `skillyard help <verb>` is
/// `skillyard <verb> --help`.
pub(super) fn understood(arguments: &[OsString]) -> Cow<'_, [OsString]> {
    let first = arguments.get(1).and_then(|word| word.to_str());
    if !matches!(first, Some("skill" | "agent" | "help")) {
        return Cow::Borrowed(arguments);
    }
    let mut arguments = arguments.to_vec();
    let is = |words: &[OsString], at: usize, word: &str| {
        let found: Option<&OsString> = words.get(at);
        found.is_some_and(|each| each == word)
    };
    if is(&arguments, 1, "skill") {
        // There, without a name, these two show everything.
        let alone = arguments.len() == 3;
        if alone && is(&arguments, 2, "show") {
            arguments[2] = "list".into();
        } else if alone && is(&arguments, 2, "manage") {
            arguments.push("--help".into());
        }
        let is_managed = is(&arguments, 2, "manage");
        arguments.drain(1..if is_managed { 3 } else { 2 });
    }
    if is(&arguments, 1, "agent") && is(&arguments, 2, "chat") {
        arguments.remove(1);
    }
    if is(&arguments, 1, "help") {
        arguments.remove(1);
        arguments.push("--help".into());
    }
    Cow::Owned(arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_other_tools_are_understood() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        for (typed, meant) in [
            ("skillyard skill validate x", "skillyard validate x"),
            ("skillyard skill manage list", "skillyard list"),
            ("skillyard skill manage", "skillyard --help"),
            ("skillyard skill show", "skillyard list"),
            ("skillyard agent chat x", "skillyard chat x"),
            ("skillyard skill show x", "skillyard show x"),
            ("skillyard skill", "skillyard"),
            ("skillyard validate skill", "skillyard validate skill"),
            ("skillyard help", "skillyard --help"),
            ("skillyard help list", "skillyard list --help"),
            ("skillyard skill help list", "skillyard list --help"),
            ("skillyard read help", "skillyard read help"),
        ] {
            assert_eq!(understood(&words(typed)), words(meant));
        }
    }
}

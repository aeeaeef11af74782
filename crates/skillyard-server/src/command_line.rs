//! Command lines as a user who is asked about them reads them.

use serde_json::json;
use skillyard_format::text::escape_invisible;

/// A script and its arguments, quoted so that no word can be taken for two or for the text around it.
pub(crate) fn command_line(script: &str, arguments: &[String]) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=,+@%".contains(c);
    let words = std::iter::once(script).chain(arguments.iter().map(String::as_str));
    let words = words.map(|word| {
        // Some characters are invisible.
        let is_seen = escape_invisible(word) == word;
        if !word.is_empty() && is_seen && word.chars().all(is_plain) {
            word.to_owned()
        } else {
            quoted(word)
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A text in quotes, without backticks and line breaks.
pub(crate) fn quoted(text: &str) -> String {
    let text = json!(text).to_string().replace('`', "\\u0060");
    skillyard_format::text::one_line(&escape_invisible(&text)).into_owned()
}

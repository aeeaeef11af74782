//! A card for every call: what was called with what, and how it ended.

use serde_json::{Map, Value};
use skillyard_agent::message::CallOutcome;

use crate::sanitize::visible;

/// Arguments whose values say enough without their names, in this order.
const TELLING: &[&str] = &[
    "name", "path", "script", "args", "command", "pattern", "glob", "query", "dir",
];

/// The head of a card.
pub(crate) fn call(tool: &str, arguments: &str) -> String {
    let about = match serde_json::from_str::<Map<String, Value>>(arguments) {
        Ok(arguments) => told(&arguments),
        // What was cut, or was no object.
        Err(_) => arguments.to_owned(),
    };
    format!("● {}  {}", visible(tool), visible(&about))
        .trim_end()
        .to_owned()
}

/// The foot of a card; what was said is shown where something went wrong, or on request.
pub(crate) fn result(
    outcome: CallOutcome,
    milliseconds: u64,
    preview: &str,
    verbose: bool,
) -> String {
    let word = match outcome {
        CallOutcome::Ok => "✓ done",
        CallOutcome::Denied => "⊘ denied",
        CallOutcome::Failed => "✗ failed",
    };
    let shown = match outcome {
        CallOutcome::Ok if !verbose => String::new(),
        _ => format!(": {}", visible(preview)),
    };
    format!("  {word} in {}{shown}", time(milliseconds))
}

fn time(milliseconds: u64) -> String {
    if milliseconds < 1000 {
        return format!("{milliseconds} ms");
    }
    format!("{}.{} s", milliseconds / 1000, milliseconds % 1000 / 100)
}

fn told(arguments: &Map<String, Value>) -> String {
    let known = TELLING.iter().filter_map(|key| arguments.get(*key));
    let mut words: Vec<String> = known.map(plain).filter(|word| !word.is_empty()).collect();
    let others = arguments
        .iter()
        .filter(|(key, _)| !TELLING.contains(&key.as_str()));
    words.extend(others.map(|(key, value)| format!("{key}={}", plain(value))));
    words.join(" · ")
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(plain).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_say_what_matters() {
        let check = |tool, arguments, expected: &str| assert_eq!(call(tool, arguments), expected);
        check(
            "skill_read",
            r#"{"path":"references/x.md","name":"pdf"}"#,
            "● skill_read  pdf · references/x.md",
        );
        check(
            "skill_run",
            r#"{"name":"pdf","script":"x.sh","args":["a","b"],"stdin":"s"}"#,
            "● skill_run  pdf · x.sh · a b · stdin=s",
        );
        check(
            "Bash",
            r#"{"command":"ls \u001b[2J"}"#,
            "● Bash  ls \\u{1b}[2J",
        );
        check("odd", "{\"cut", "● odd  {\"cut");
        check("none", "{}", "● none");
    }

    #[test]
    fn ends_are_words_and_not_only_marks() {
        assert_eq!(result(CallOutcome::Ok, 3, "x", false), "  ✓ done in 3 ms");
        assert_eq!(result(CallOutcome::Ok, 3, "x", true), "  ✓ done in 3 ms: x");
        assert_eq!(
            result(CallOutcome::Denied, 0, "no", false),
            "  ⊘ denied in 0 ms: no"
        );
        assert_eq!(
            result(CallOutcome::Ok, 4814, "", false),
            "  ✓ done in 4.8 s"
        );
    }
}

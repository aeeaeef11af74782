//! A card for every call: what was called with what, and how it ended.

use serde_json::{Map, Value};
use skillyard_agent::message::CallOutcome;

use crate::terminal::{columns, pieces};
use crate::text::sanitize::visible;
use crate::text::shell::shell_words;

/// Arguments whose values say enough without their names, in this order.
const TELLING: &[&str] = &[
    "name", "path", "script", "args", "command", "pattern", "glob", "query", "dir",
];

/// What stands for the end of a line, so that no words of a model begin one.
const LINE_END: &str = " ⏎ ";

/// The head of a card, in one line.
pub(crate) fn call(tool: &str, arguments: &str) -> String {
    let about = match serde_json::from_str::<Map<String, Value>>(arguments) {
        Ok(arguments) => told(&arguments),
        // What was cut, or was no object.
        Err(_) => arguments.to_owned(),
    };
    let lines: Vec<&str> = about.trim_end().lines().collect();
    let card = format!("● {tool}  {}", lines.join(LINE_END));
    // A name is a word of the model, too.
    let card = card.replace('\n', LINE_END).replace('\t', "\\t");
    visible(card.trim_end()).into_owned()
}

/// A card in one row of so many columns; a terminal would break what is longer, and a row begin with
/// words of the model.
pub(crate) fn row(card: &str, width: usize) -> String {
    if columns(card) <= width {
        return card.to_owned();
    }
    let pieces = pieces(card, width.saturating_sub(1));
    format!("{}…", pieces.first().map_or("", String::as_str))
}

/// What is known of a call that has ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended<'a> {
    /// How it went.
    pub(crate) outcome: CallOutcome,
    /// Whether the user stopped the turn meanwhile.
    pub(crate) stopped: bool,
    /// How long it took.
    pub(crate) milliseconds: u64,
    /// The beginning of what it said.
    pub(crate) preview: &'a str,
}

/// The foot of a card; what was said is shown where something went wrong, or on request.
pub(crate) fn result(ended: Ended<'_>, verbose: bool) -> String {
    let Ended {
        outcome,
        stopped,
        milliseconds,
        preview,
    } = ended;
    if stopped && outcome != CallOutcome::Denied {
        return format!("  ■ stopped after {}", time(milliseconds));
    }
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
        Value::Array(all) => {
            let words: Vec<String> = all.iter().map(plain).collect();
            shell_words(words.iter().map(String::as_str))
        }
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
            "skill_run",
            r#"{"name":"pdf","script":"x.sh","args":["a b","it's",""]}"#,
            r"● skill_run  pdf · x.sh · 'a b' 'it'\''s' ''",
        );
        check(
            "Bash",
            r#"{"command":"ls \u001b[2J"}"#,
            "● Bash  ls \\u{1b}[2J",
        );
        check("odd", "{\"cut", "● odd  {\"cut");
        check(
            "Bash\n● Read",
            r#"{"command":"true\n\n## You\r\n\u2028Yes\n"}"#,
            r"● Bash ⏎ ● Read  true ⏎  ⏎ ## You ⏎ \u{2028}Yes",
        );
        check("none", "{}", "● none");
        check("Bash", r#"{"command":"a\tb"}"#, r"● Bash  a\tb");
    }

    #[test]
    fn a_row_is_no_wider_than_the_terminal() {
        assert_eq!(row("● Read  a", 9), "● Read  a");
        assert_eq!(row("● Read  ab", 9), "● Read  …");
        assert_eq!(row("● Read  日本", 10), "● Read  …");
    }

    #[test]
    fn ends_are_words_and_not_only_marks() {
        let ended = |outcome, stopped, milliseconds| Ended {
            outcome,
            stopped,
            milliseconds,
            preview: "said",
        };
        let check = |ended, verbose, expected: &str| assert_eq!(result(ended, verbose), expected);
        let (ok, denied) = (CallOutcome::Ok, CallOutcome::Denied);
        check(ended(ok, false, 3), false, "  ✓ done in 3 ms");
        check(ended(ok, false, 3), true, "  ✓ done in 3 ms: said");
        check(ended(denied, false, 0), false, "  ⊘ denied in 0 ms: said");
        check(ended(denied, true, 0), false, "  ⊘ denied in 0 ms: said");
        check(ended(ok, false, 4814), false, "  ✓ done in 4.8 s");
        check(ended(ok, true, 4814), false, "  ■ stopped after 4.8 s");
    }
}

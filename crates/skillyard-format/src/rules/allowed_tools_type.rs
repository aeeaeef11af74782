//! `allowed-tools` that is not text.

use super::{Report, Subject};
use crate::allowed_tools::{AllowedTools, Separator};
use crate::edit::Edit;
use crate::span::Span;

rule! {
    /// `allowed-tools` is one text, its tools separated by spaces.
    ///
    /// A YAML list is read too, by Skillyard and by some clients.
    ///
    /// ```text
    /// allowed-tools: Bash(git:*) Read
    /// ```
    ///
    /// **Fix:** write it on one line; `--fix` does.
    "allowed-tools-type", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some(entry) = subject.field("allowed-tools") else {
        return;
    };
    match AllowedTools::from_node(&entry.value) {
        Some(tools) if tools.separator == Separator::List => {
            let help = match tools.to_standard_form() {
                none if none.is_empty() => "write tools on one line, or take the field away".into(),
                tools => format!("write `allowed-tools: {tools}`"),
            };
            let added = report
                .add(
                    &RULE,
                    entry.key_span,
                    "`allowed-tools` is a list, not text".into(),
                )
                .help(help);
            let plain = !tools.patterns.is_empty()
                && !tools.unbalanced
                && is_plain(&tools.to_standard_form())
                && subject.repairs().is_empty();
            if plain {
                let text = &subject.document.text;
                let start = entry.key_span.end;
                let end = start
                    + text[start..entry.value.span.end.max(start)]
                        .trim_end()
                        .len();
                let replacement = format!(": {}", tools.to_standard_form());
                added.fix([Edit::replace(Span::new(start, end), replacement)]);
            }
        }
        Some(_) => {}
        None => {
            report
                .add(
                    &RULE,
                    entry.value.span,
                    format!(
                        "`allowed-tools` must be text, and is {}",
                        entry.value.kind()
                    ),
                )
                .help("write the tools on one line, separated by spaces");
        }
    }
}

/// Whether the text can stand without quotes.
pub(super) fn is_plain(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with(':')
        && !text.contains(['\n', '\r', '\t'])
        && !text.chars().any(char::is_control)
}

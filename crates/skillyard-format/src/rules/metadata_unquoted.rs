//! `metadata` values that YAML takes for numbers and the like.

use super::{Report, Subject};
use crate::edit::Edit;
use crate::frontmatter::repair::quoted;
use crate::yaml::{ScalarStyle, Value};

rule! {
    /// `metadata` values that look like numbers, dates or booleans should be in quotes.
    ///
    /// `version: 1.10` is the number 1.1 to most YAML readers. In quotes it stays what it is.
    ///
    /// **Fix:** write `version: "1.10"`; `--fix` does.
    "metadata-unquoted", Advice, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some(mapping) = subject
        .field("metadata")
        .and_then(|entry| entry.value.as_mapping())
    else {
        return;
    };
    for entry in &mapping.entries {
        let Value::Scalar(scalar) = &entry.value.value else {
            continue;
        };
        if scalar.style == ScalarStyle::Plain && is_typed(&scalar.text) {
            let added = report
                .add(
                    &RULE,
                    entry.value.span,
                    format!("`{}` is not text to every YAML reader", scalar.text),
                )
                .help("put it in quotes");
            if subject.repairs().is_empty()
                && entry.value.span.of(&subject.document.text) == scalar.text
            {
                added.fix([Edit::replace(entry.value.span, quoted(&scalar.text))]);
            }
        }
    }
}

/// Whether YAML 1.1 or 1.2 reads this plain text as something other than text.
fn is_typed(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let word = matches!(
        lower.as_str(),
        "true" | "false" | "yes" | "no" | "on" | "off" | "null" | "~" | ".nan" | ".inf"
    );
    let number = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))
        && text.replace('_', "").parse::<f64>().is_ok();
    let date = text.len() >= 8
        && text.starts_with(|c: char| c.is_ascii_digit())
        && text.splitn(3, '-').count() == 3
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b"-:TZ .+".contains(&byte));
    word || number || date
}

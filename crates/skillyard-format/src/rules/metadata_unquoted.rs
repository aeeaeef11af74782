//! Texts that YAML takes for numbers and the like.

use super::{Report, Subject};
use crate::edit::Edit;
use crate::frontmatter::repair::quoted;
use crate::yaml::{ScalarStyle, Value, is_typed};

rule! {
    /// Values that look like numbers, dates or booleans should be in quotes: those of `metadata`, and
    /// fields that are texts, such as `name`.
    ///
    /// `version: 1.10` is the number 1.1 to most YAML readers, and `1:30` is 90 to some. In quotes it
    /// stays what it is.
    ///
    /// **Fix:** write `version: "1.10"`; `--fix` does.
    "metadata-unquoted", Advice, check
}

/// Fields that are texts.
const TEXTS: [&str; 4] = ["name", "description", "license", "compatibility"];

fn check(subject: &Subject<'_>, report: &mut Report) {
    let metadata = subject.field("metadata");
    let metadata = metadata.and_then(|entry| entry.value.as_mapping());
    let metadata = metadata.into_iter().flat_map(|mapping| &mapping.entries);
    let texts = TEXTS.iter().filter_map(|name| subject.text(name));
    let texts = texts.map(|(entry, _)| entry);
    for entry in texts.chain(metadata) {
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

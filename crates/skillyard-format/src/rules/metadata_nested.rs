//! `metadata` that is not text to text.

use super::{Report, Subject};

rule! {
    /// `metadata` maps text to text.
    ///
    /// Half of the real skills that use it nest lists or mappings. Skillyard keeps them as
    /// they are; strict clients drop the value, turn it into text, or refuse the skill.
    ///
    /// **Fix:** write lists as text separated by spaces, and nested data as JSON in quotes.
    "metadata-nested", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some(entry) = subject.field("metadata") else {
        return;
    };
    let Some(mapping) = entry.value.as_mapping() else {
        if !entry.value.is_null() {
            report
                .add(
                    &RULE,
                    entry.value.span,
                    format!(
                        "`metadata` must be `key: value` lines, and is {}",
                        entry.value.kind()
                    ),
                )
                .help("indent `key: value` lines below `metadata:`");
        }
        return;
    };
    for inner in &mapping.entries {
        if inner.value.as_str().is_none() {
            report
                .add(
                    &RULE,
                    inner.key_span,
                    format!(
                        "`metadata.{}` must be text, and is {}",
                        inner.key,
                        inner.value.kind()
                    ),
                )
                .help("write it as text in quotes");
        }
    }
}

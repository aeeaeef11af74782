//! Fields outside the specification.

use super::{Report, Subject};
use crate::fields::{CLIENT_FIELDS, KEPT_FIELDS, STANDARD_FIELDS};
use crate::text::nearest;
use crate::triggers::KEY;

rule! {
    /// The specification knows six fields: `name`, `description`, `license`, `compatibility`,
    /// `metadata` and `allowed-tools`.
    ///
    /// Others are not forbidden, and two of three real skills have some; but a strict client
    /// refuses the file, and others ignore the field. Of the fields that Claude Code
    /// added, Skillyard acts on `when_to_use`, `arguments`, `argument-hint`, `disallowed-tools`,
    /// `disable-model-invocation` and `user-invocable`, and keeps the others as they are.
    ///
    /// **Fix:** move your own data into `metadata`; correct the spelling of a standard field.
    "field-unknown", Extension, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some(mapping) = subject.mapping() else {
        return;
    };
    for entry in &mapping.entries {
        let key = &*entry.key;
        if STANDARD_FIELDS.contains(&key) {
            continue;
        }
        if CLIENT_FIELDS.contains(&key) {
            report
                .add(
                    &RULE,
                    entry.key_span,
                    format!("`{key}` is an extension that not every client understands"),
                )
                .help(if KEPT_FIELDS.contains(&key) {
                    "keep it if your clients do; Skillyard leaves it in the file and does not act on it"
                } else {
                    "keep it if your clients do; Skillyard acts on it, and the specification does not know it"
                });
            continue;
        }
        if key == "triggers" {
            report
                .add(
                    &RULE,
                    entry.key_span,
                    "`triggers` is an extension that not every client understands".into(),
                )
                .help(format!(
                    "write it into `metadata`, as `{KEY}` with JSON in quotes"
                ));
            continue;
        }
        let known = STANDARD_FIELDS.iter().chain(&CLIENT_FIELDS).copied();
        let help = match nearest(&key.to_lowercase().replace('_', "-"), known) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if key == "toolsets" => {
                "write it into `metadata`, as `skillyard.toolsets` with all names in one text"
                    .into()
            }
            // A list or a table there is refused by strict clients, too.
            None if entry.value.as_str().is_none() => {
                format!("move it into `metadata`, in one text, as `metadata: {{{key}: \"…\"}}`")
            }
            None => format!("move it into `metadata`, as `metadata: {{{key}: …}}`"),
        };
        report
            .add(
                &RULE,
                entry.key_span,
                format!("`{key}` is not a field of the specification"),
            )
            .help(help);
    }
}

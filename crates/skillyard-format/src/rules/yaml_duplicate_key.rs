//! Keys that occur twice.

use super::{Report, Subject};
use crate::edit::Edit;
use crate::span::{LineIndex, Span};
use crate::yaml::{Mapping, MappingEntry, Node, Value};

rule! {
    /// A key may occur once in a mapping.
    ///
    /// Most clients keep the last value, some the first, some refuse the file.
    ///
    /// **Fix:** remove all but one; `--fix` keeps the last, as libyaml's users do.
    "yaml-duplicate-key", Format, check
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    if let Some(mapping) = subject.mapping() {
        check_mapping(subject, mapping, true, report);
    }
}

fn check_mapping(subject: &Subject<'_>, mapping: &Mapping, outermost: bool, report: &mut Report) {
    let mut lines: Option<LineIndex<'_>> = None;
    for (first, again) in mapping.duplicates() {
        let text = &subject.document.text;
        let lines = lines.get_or_insert_with(|| LineIndex::new(text));
        let line = lines.position(first.key_span.start).line;
        let added = report
            .add(
                &RULE,
                again.key_span,
                format!("`{}` was set before, in line {line}", again.key),
            )
            .help("remove one of the two; the last one is used");
        // Whole lines can only be told apart in the outermost mapping, unmended.
        if outermost && subject.repairs().is_empty() {
            let next = mapping
                .entries
                .iter()
                .find(|entry| entry.key_span > first.key_span);
            if let Some(edit) = next.and_then(|next| removal(text, first, next)) {
                added.fix([edit]);
            }
        }
    }
    for entry in &mapping.entries {
        check_node(subject, &entry.value, report);
    }
}

fn check_node(subject: &Subject<'_>, node: &Node, report: &mut Report) {
    match &node.value {
        Value::Scalar(_) => {}
        Value::Sequence(items) => items
            .iter()
            .for_each(|item| check_node(subject, item, report)),
        Value::Mapping(mapping) => check_mapping(subject, mapping, false, report),
    }
}

/// Removes the lines of `entry`, which `next` follows, if both start their lines.
fn removal(text: &str, entry: &MappingEntry, next: &MappingEntry) -> Option<Edit> {
    let starts_line = |at: usize| text[..at].ends_with(['\n', '\r']);
    let span = Span::new(entry.key_span.start, next.key_span.start);
    (starts_line(span.start) && starts_line(span.end)).then(|| Edit::remove(span))
}

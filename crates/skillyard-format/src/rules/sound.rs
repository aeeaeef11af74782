//! Skills about which no rule of the format has anything to say.
//!
//! Discovery looks at thousands of files and nearly all of a good collection are like
//! this, so they are recognised in one look at their fields instead of one a rule.

use super::Subject;
use crate::document::Frontmatter;
use crate::skill::STANDARD_FIELDS;
use crate::text::Encoding;
use crate::yaml::{Entry, Mapping, Node, Value};

/// Whether it is certain that no rule above advice applies; `false` decides nothing.
pub(super) fn is_sound(subject: &Subject<'_>) -> bool {
    let Frontmatter::Read {
        split,
        mapping,
        features,
        repairs,
    } = &subject.document.frontmatter
    else {
        return false;
    };
    subject.document.encoding == Encoding::Utf8
        && repairs.is_empty()
        && split.oddities.is_empty()
        && features.second_document.is_none()
        && mapping.get("name").is_some()
        && mapping.get("description").is_some()
        && is_unique(mapping)
        && mapping.entries.iter().all(|entry| is_good(subject, entry))
}

fn is_good(subject: &Subject<'_>, entry: &Entry) -> bool {
    let text = entry.value.as_str();
    let has_text = |most: usize| {
        text.is_some_and(|text| (1..=most).contains(&text.len()) && !text.trim().is_empty())
            && !entry.value.is_null()
    };
    match &*entry.key {
        "name" => has_text(64) && text == subject.directory && text.is_some_and(is_plain_name),
        "description" => has_text(1024),
        "compatibility" => has_text(500),
        "metadata" => entry.value.as_mapping().is_some_and(|inner| {
            let is_text = |entry: &Entry| matches!(entry.value.value, Value::Scalar(_));
            is_unique(inner) && inner.entries.iter().all(is_text)
        }),
        key => STANDARD_FIELDS.contains(&key) && is_scalar(&entry.value),
    }
}

fn is_scalar(node: &Node) -> bool {
    matches!(node.value, Value::Scalar(_))
}

fn is_unique(mapping: &Mapping) -> bool {
    mapping.duplicates().next().is_none()
}

fn is_plain_name(name: &str) -> bool {
    crate::name::problems(name).next().is_none()
}

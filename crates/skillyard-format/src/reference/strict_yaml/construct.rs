//! The values as written made into the values that are meant.
//!
//! Repeated keys, uneven mappings and `<<` come last, so any other error in the file wins.

use std::borrow::Cow;
use std::collections::HashSet;

use super::parser::{Raw, RawValue};
use crate::reference::message::{StrictError, column};
use crate::span::Span;
use crate::yaml::{Entry, Mapping, Node, Scalar, ScalarStyle, Value};

const CONTEXT: &str = "while constructing a mapping";

/// The root of the document.
pub(super) fn construct_root<'s>(source: &str, root: Raw<'s>) -> Result<Node<'s>, StrictError> {
    let span = root.span;
    let value = match root.value {
        // Merged keys arrive too late at the root, so the reference never sees them.
        RawValue::Mapping(pairs) => Value::Mapping(mapping(source, span, pairs)?.own),
        other => construct(source, Raw { span, value: other })?.value,
    };
    Ok(Node { span, value })
}

fn construct<'s>(source: &str, raw: Raw<'s>) -> Result<Node<'s>, StrictError> {
    let span = raw.span;
    let value = match raw.value {
        RawValue::Scalar(scalar) => Value::Scalar(scalar),
        RawValue::Sequence(items) => {
            let items = items.into_iter().map(|item| construct(source, item));
            Value::Sequence(items.collect::<Result<_, _>>()?)
        }
        RawValue::Mapping(pairs) => Value::Mapping(mapping(source, span, pairs)?.merge()),
    };
    Ok(Node { span, value })
}

/// A mapping before what `<<` names is added to it.
struct Unmerged<'s> {
    own: Mapping<'s>,
    inherited: Vec<Entry<'s>>,
}

impl<'s> Unmerged<'s> {
    fn merge(mut self) -> Mapping<'s> {
        if self.inherited.is_empty() {
            return self.own;
        }
        let own_keys = self.own.entries.iter().map(|entry| entry.key.clone());
        let mut seen: HashSet<Cow<'s, str>> = own_keys.collect();
        self.inherited
            .retain(|entry| seen.insert(entry.key.clone()));
        self.own.entries.append(&mut self.inherited);
        self.own
    }
}

fn mapping<'s>(
    source: &str,
    span: Span,
    pairs: Vec<(Raw<'s>, Raw<'s>)>,
) -> Result<Unmerged<'s>, StrictError> {
    let (merges, pairs): (Vec<_>, Vec<_>) = pairs.into_iter().partition(|(key, _)| is_merge(key));
    let inherited = inherited_entries(source, span, merges)?;
    let mut own = Mapping::default();
    let mut seen = HashSet::new();
    let mut first_column = None;
    let mut uneven = None;
    for (key, value) in pairs {
        let key_span = key.span;
        let key = key_text(source, span, key)?;
        if let RawValue::Mapping(_) = value.value {
            let here = column(source, value.span.start);
            if *first_column.get_or_insert(here) != here {
                uneven.get_or_insert(value.span);
            }
        }
        let value = construct(source, value)?;
        if !seen.insert(key.clone()) {
            return Err(
                StrictError::new(format!("Duplicate key '{key}' found"), key_span.end)
                    .within("While parsing", key_span.start),
            );
        }
        own.entries.push(Entry {
            key,
            key_span,
            value,
        });
    }
    match uneven {
        Some(uneven) => Err(StrictError::new(
            "Found mapping with indentation inconsistent with previous mapping",
            uneven.end,
        )
        .within("While parsing", uneven.start)),
        None => Ok(Unmerged { own, inherited }),
    }
}

/// The text of a key of the mapping at `mapping`.
fn key_text<'s>(source: &str, mapping: Span, key: Raw<'s>) -> Result<Cow<'s, str>, StrictError> {
    let start = key.span.start;
    match construct(source, key)?.value {
        Value::Scalar(scalar) => Ok(scalar.text),
        // For a list the reference crashes; we say the same as for a mapping.
        _ => Err(StrictError::new("found unhashable key", start).within(CONTEXT, mapping.start)),
    }
}

fn is_merge(key: &Raw<'_>) -> bool {
    matches!(&key.value, RawValue::Scalar(Scalar { text, style: ScalarStyle::Plain }) if text == "<<")
}

/// The entries of the mappings that `<<` names, in order.
fn inherited_entries<'s>(
    source: &str,
    span: Span,
    merges: Vec<(Raw<'s>, Raw<'s>)>,
) -> Result<Vec<Entry<'s>>, StrictError> {
    let fail = |problem: &str, at| Err(StrictError::new(problem, at).within(CONTEXT, span.start));
    let mut inherited = Vec::new();
    for (number, (key, value)) in merges.into_iter().enumerate() {
        if number > 0 {
            return fail("found duplicate key \"<<\"", key.span.start);
        }
        let start = value.span.start;
        let sources = match value.value {
            RawValue::Sequence(items) => items,
            RawValue::Mapping(_) => vec![value],
            RawValue::Scalar(_) => {
                return fail(
                    "expected a mapping or list of mappings for merging, but found scalar",
                    start,
                );
            }
        };
        for item in sources {
            let start = item.span.start;
            match construct(source, item)?.value {
                Value::Mapping(mapping) => inherited.extend(mapping.entries),
                Value::Sequence(_) => {
                    return fail("expected a mapping for merging, but found sequence", start);
                }
                Value::Scalar(_) => {
                    return fail("expected a mapping for merging, but found scalar", start);
                }
            }
        }
    }
    Ok(inherited)
}

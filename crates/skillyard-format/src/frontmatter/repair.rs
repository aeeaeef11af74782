//! The repair ladder: what is tried when frontmatter is not valid YAML.
//!
//! Nothing here runs unless a real parse failed. Each step is a set of [`Edit`]s,
//! so a repair can be shown, written back by `validate --fix`, and traced to the
//! bytes the author wrote.

mod entries;

use std::fmt::Write as _;

use crate::edit::{Edit, Origins, apply};
use crate::frontmatter::{Oddity, Split, later_closers};
use crate::span::Span;
use crate::text::is_forbidden;
use crate::yaml::{self, Features, Mapping, Node, Tree, Value, YamlError};

pub(crate) use crate::frontmatter::repair::entries::key_of;

/// One thing that was mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// What was wrong.
    pub kind: RepairKind,
    /// What the mended text replaces.
    pub edits: Vec<Edit>,
    /// The place to point at.
    pub span: Span,
}

/// What was wrong with a piece of frontmatter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RepairKind {
    /// The value of `key` is text that YAML reads as something else.
    Unquoted {
        /// The key.
        key: String,
        /// The parser's complaint about this entry.
        error: YamlError,
    },
    /// What stands behind `key` is not a colon and a space.
    Separator {
        /// The key.
        key: String,
    },
    /// The key is indented although it stands in the outermost mapping.
    Indented {
        /// The key.
        key: String,
    },
    /// A line belongs to no key.
    Stray,
    /// Characters that YAML forbids.
    Control,
    /// Tabs where YAML wants spaces.
    Tab,
    /// An emoji written as two `\u` escapes, which YAML does not combine.
    Surrogates,
    /// The block ends at a later `---` line than the first.
    LaterCloser,
}

/// A block that could be read after mending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// The tree, its spans leading to the original text.
    pub tree: Tree,
    /// What was mended.
    pub repairs: Vec<Repair>,
    /// The split, which a later closing line may have moved.
    pub split: Split,
}

/// Mends the block that `split` found in `text`, which failed to parse with `error`.
pub fn repair(text: &str, split: &Split, error: &YamlError) -> Option<Repaired> {
    by_later_closer(text, split)
        .or_else(|| by_inner_delimiter(text, split, error))
        .or_else(|| by_characters(text, split))
        .or_else(|| by_entries(text, split))
}

/// Mends the block that `split` found in `text`, which is one text and was meant as fields.
pub fn fields(text: &str, split: &Split) -> Option<Repaired> {
    let repaired = by_entries(text, split)?;
    let mapping = repaired.tree.root.as_ref()?.as_mapping()?;
    mapping.get("description").is_some().then_some(repaired)
}

/// A `---` line inside the block: the real closer is a later one.
fn by_later_closer(text: &str, split: &Split) -> Option<Repaired> {
    later_closers(text, split).take(4).find_map(|closer| {
        let yaml = Span::new(split.yaml.start, closer.start);
        let tree = yaml::parse(yaml.of(text), yaml.start).ok()?;
        let mapping = tree.root.as_ref()?.as_mapping()?;
        // Two documents in a row are two blocks, not one with a line inside.
        if tree.features.second_document.is_some() || mapping.get("description").is_none() {
            return None;
        }
        Some(Repaired {
            split: closed_at(split, closer),
            repairs: vec![Repair {
                kind: RepairKind::LaterCloser,
                edits: Vec::new(),
                span: split.closer,
            }],
            tree,
        })
    })
}

/// A `---` line inside quotes, which ends a YAML document even there: it is indented.
fn by_inner_delimiter(text: &str, split: &Split, error: &YamlError) -> Option<Repaired> {
    let in_quotes = matches!(error.context, Some(("while scanning a quoted scalar", _)));
    let closer = later_closers(text, split).next().filter(|_| in_quotes)?;
    let repair = Repair {
        kind: RepairKind::LaterCloser,
        edits: vec![Edit::replace(Span::at(split.closer.start), "  ")],
        span: split.closer,
    };
    let repaired = finish(text, &closed_at(split, closer), vec![repair])?;
    let mapping = repaired.tree.root.as_ref()?.as_mapping()?;
    mapping.get("description").is_some().then_some(repaired)
}

/// The same block, closed by a later line.
fn closed_at(split: &Split, closer: Span) -> Split {
    Split {
        yaml: Span::new(split.yaml.start, closer.start),
        body: Span::new(closer.end, split.body.end),
        closer,
        // What was odd about the closer was odd about a line that is none.
        oddities: (split.oddities.iter().copied())
            .filter(|oddity| !matches!(oddity, Oddity::Closer(..)))
            .collect(),
    }
}

/// Control characters become nothing, tabs that indent become two spaces.
fn by_characters(text: &str, split: &Split) -> Option<Repaired> {
    let repairs = character_repairs(split.yaml.of(text), split.yaml.start);
    finish(text, split, repairs)
}

/// Each entry that does not parse by itself is mended by itself.
///
/// Entries are found in a text without forbidden characters, so their places are led back
/// through the edits that removed those; an entry that is rewritten makes them needless.
fn by_entries(text: &str, split: &Split) -> Option<Repaired> {
    let characters = character_repairs(split.yaml.of(text), split.yaml.start);
    let edits = edits_of(&characters);
    let clean = apply(text, &edits);
    let end = (split.yaml.end + clean.len()).checked_sub(text.len())?;
    let mut repairs = entries::repair(clean.get(split.yaml.start..end)?, split.yaml.start);
    let origins = Origins::new(&edits);
    for repair in &mut repairs {
        repair.span = led_back(&origins, repair.span);
        for edit in &mut repair.edits {
            edit.span = led_back(&origins, edit.span);
        }
    }
    let mut rewritten: Vec<Span> = edits_of(&repairs).iter().map(|edit| edit.span).collect();
    rewritten.sort_unstable();
    repairs.extend(characters.into_iter().filter(|character| {
        let place = character.span;
        let before = rewritten.partition_point(|span| span.start <= place.start);
        before == 0 || rewritten[before - 1].end < place.end
    }));
    repairs.sort_by_key(|repair| repair.span);
    finish(text, split, repairs)
}

fn edits_of(repairs: &[Repair]) -> Vec<Edit> {
    repairs.iter().flat_map(|each| each.edits.clone()).collect()
}

fn character_repairs(source: &str, offset: usize) -> Vec<Repair> {
    let mut repairs = Vec::new();
    let mut push = |kind, at: usize, length, replacement: &str| {
        let span = Span::new(offset + at, offset + at + length);
        repairs.push(Repair {
            kind,
            edits: vec![Edit::replace(span, replacement)],
            span,
        });
    };
    let mut indenting = true;
    for (at, c) in source.char_indices() {
        if is_forbidden(c) {
            push(RepairKind::Control, at, c.len_utf8(), "");
        } else if c == '\t' && indenting {
            push(RepairKind::Tab, at, 1, "  ");
        }
        indenting = match c {
            '\n' | '\r' => true,
            ' ' | '\t' => indenting,
            _ => false,
        };
    }
    repairs
}

fn finish(text: &str, split: &Split, repairs: Vec<Repair>) -> Option<Repaired> {
    if repairs.is_empty() {
        return None;
    }
    let edits = edits_of(&repairs);
    let local: Vec<Edit> = edits
        .iter()
        .map(|edit| Edit {
            span: Span::new(
                edit.span.start.saturating_sub(split.yaml.start),
                edit.span.end.saturating_sub(split.yaml.start),
            ),
            replacement: edit.replacement.clone(),
        })
        .collect();
    let source = apply(split.yaml.of(text), &local);
    let mut tree = yaml::parse(&source, 0).ok()?;
    let root = tree.root.as_mut()?;
    root.as_mapping()?;
    let origins = Origins::new(&local);
    lead_back(root, &origins, split.yaml.start);
    let Features {
        flow,
        anchor,
        tag,
        second_document,
    } = &mut tree.features;
    let flow = flow.as_mut().map(|flow| &mut flow.span);
    let spans = [
        flow,
        anchor.as_mut(),
        tag.as_mut(),
        second_document.as_mut(),
    ];
    for span in spans.into_iter().flatten() {
        *span = place(&origins, split.yaml.start, *span);
    }
    Some(Repaired {
        tree,
        repairs,
        split: split.clone(),
    })
}

fn led_back(origins: &Origins, span: Span) -> Span {
    Span::new(origins.of(span.start), origins.of(span.end))
}

/// Moves every span of a tree read from edited text to the original file.
fn lead_back(node: &mut Node, origins: &Origins, offset: usize) {
    node.span = place(origins, offset, node.span);
    match &mut node.value {
        Value::Scalar(_) => {}
        Value::Sequence(items) => {
            for item in items {
                lead_back(item, origins, offset);
            }
        }
        Value::Mapping(Mapping { entries }) => {
            for entry in entries {
                entry.key_span = place(origins, offset, entry.key_span);
                lead_back(&mut entry.value, origins, offset);
            }
        }
    }
}

/// Where a span of edited text, which starts at `offset` in the file, stood in the file.
fn place(origins: &Origins, offset: usize, span: Span) -> Span {
    let span = led_back(origins, span);
    Span::new(offset + span.start, offset + span.end.max(span.start))
}

/// The edits that write each pair of surrogate escapes as the character it means.
pub(crate) fn surrogate_pairs(text: &str, offset: usize) -> Vec<Edit> {
    let unit = |at: usize| {
        let hex = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(hex, 16).ok()
    };
    let mut edits = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find("\\u") {
        let start = at + found;
        at = start + 2;
        let (Some(high), low) = (unit(start), unit(start + 6)) else {
            continue;
        };
        if !(0xD800..0xE000).contains(&high) {
            continue;
        }
        let units = [high, low.unwrap_or_default()];
        let decoded = char::decode_utf16(units).next().and_then(Result::ok);
        let (length, replacement) = match decoded {
            Some(c) if u32::from(c) > 0xFFFF => (12, c.to_string()),
            _ => (6, "\\uFFFD".to_owned()),
        };
        edits.push(Edit::replace(
            Span::new(offset + start, offset + start + length),
            replacement,
        ));
        at = start + length;
    }
    edits
}

/// `text` as a one-line YAML scalar in quotes, the plainer kind that can hold it.
pub fn quoted(text: &str) -> String {
    let needs_escapes = text
        .chars()
        .any(|c| c == '\n' || c == '\r' || c == '\t' || is_special(c));
    if !needs_escapes && (!text.contains('\'') || text.contains(['"', '\\'])) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut result = String::with_capacity(text.len() + 2);
    result.push('"');
    for c in text.chars() {
        match c {
            '"' => result.push_str("\\\""),
            '\\' => result.push_str("\\\\"),
            '\n' => result.push_str("\\n"),
            '\r' => result.push_str("\\r"),
            '\t' => result.push_str("\\t"),
            // Every special character is in the first plane, so four digits do.
            c if is_special(c) => {
                let _ = write!(result, "\\u{:04X}", u32::from(c));
            }
            c => result.push(c),
        }
    }
    result.push('"');
    result
}

/// Whether a character must be escaped to stand inside quotes on one line.
fn is_special(c: char) -> bool {
    is_forbidden(c) || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
}

#[cfg(test)]
mod quote_tests {
    use super::*;
    use crate::yaml;
    use proptest::prelude::*;

    #[test]
    fn the_plainer_quotes_are_chosen() {
        assert_eq!(quoted("a: b"), "'a: b'");
        assert_eq!(quoted("it's: so"), "\"it's: so\"");
        assert_eq!(quoted("it's \"so\""), "'it''s \"so\"'");
        assert_eq!(quoted("a\nb"), "\"a\\nb\"");
    }

    proptest! {
        #[test]
        fn quoted_text_reads_back(text in "\\PC*|[\\x00-\\x7f]*") {
            let source = format!("k: {}\n", quoted(&text));
            let tree = yaml::parse(&source, 0).expect("quoted text is valid");
            let root = tree.root.unwrap();
            prop_assert_eq!(root.as_mapping().unwrap().entries[0].value.as_str(), Some(text.as_str()));
        }
    }
}

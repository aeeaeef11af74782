//! The repair ladder: what is tried when frontmatter is not valid YAML.
//!
//! Nothing here runs unless a real parse failed. Each step is a set of [`Edit`]s,
//! so a repair can be shown, written back by `validate --fix`, and traced to the
//! bytes the author wrote.

mod entries;
mod quote;

pub(crate) use entries::key_of;
pub use quote::quoted;

use super::{Split, later_closers};
use crate::edit::{Edit, apply, original_offset};
use crate::span::Span;
use crate::text::is_forbidden;
use crate::yaml::{self, Mapping, Node, Tree, Value, YamlError};

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
pub fn repair(text: &str, split: &Split) -> Option<Repaired> {
    by_later_closer(text, split)
        .or_else(|| by_characters(text, split))
        .or_else(|| by_entries(text, split))
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
            split: Split {
                yaml,
                body: Span::new(closer.end, split.body.end),
                closer,
                oddities: split.oddities.clone(),
            },
            repairs: vec![Repair {
                kind: RepairKind::LaterCloser,
                edits: Vec::new(),
                span: split.closer,
            }],
            tree,
        })
    })
}

/// Control characters become nothing, tabs that indent become two spaces.
fn by_characters(text: &str, split: &Split) -> Option<Repaired> {
    let repairs = character_repairs(split.yaml.of(text), split.yaml.start);
    finish(text, split, repairs)
}

/// Each entry that does not parse by itself is mended by itself.
fn by_entries(text: &str, split: &Split) -> Option<Repaired> {
    let source = split.yaml.of(text);
    let mut repairs = character_repairs(source, split.yaml.start);
    let clean = apply_all(text, &repairs);
    let shift = clean.len();
    if shift == text.len() && repairs.is_empty() {
        let found = entries::repair(source, split.yaml.start);
        return finish(text, split, found);
    }
    // Entries are found in the cleaned text, so their places are led back through
    // the character edits before both sets are applied together.
    let first: Vec<Edit> = repairs.iter().flat_map(|each| each.edits.clone()).collect();
    let end = split.yaml.end + clean.len() - text.len();
    let block = clean.get(split.yaml.start..end)?;
    for mut each in entries::repair(block, split.yaml.start) {
        each.span = led_back(&first, each.span);
        for edit in &mut each.edits {
            edit.span = led_back(&first, edit.span);
        }
        repairs.push(each);
    }
    finish(text, split, repairs)
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
    let edits: Vec<Edit> = repairs.iter().flat_map(|each| each.edits.clone()).collect();
    let local: Vec<Edit> = edits
        .iter()
        .map(|edit| Edit {
            span: Span::new(
                edit.span
                    .start
                    .checked_sub(split.yaml.start)
                    .unwrap_or_default(),
                edit.span
                    .end
                    .checked_sub(split.yaml.start)
                    .unwrap_or_default(),
            ),
            replacement: edit.replacement.clone(),
        })
        .collect();
    let source = apply(split.yaml.of(text), &local);
    let mut tree = yaml::parse(&source, 0).ok()?;
    let root = tree.root.as_mut()?;
    root.as_mapping()?;
    lead_back(root, &local, split.yaml.start);
    Some(Repaired {
        tree,
        repairs,
        split: split.clone(),
    })
}

fn apply_all(text: &str, repairs: &[Repair]) -> String {
    let edits: Vec<Edit> = repairs.iter().flat_map(|each| each.edits.clone()).collect();
    apply(text, &edits)
}

fn led_back(edits: &[Edit], span: Span) -> Span {
    Span::new(
        original_offset(edits, span.start),
        original_offset(edits, span.end),
    )
}

/// Moves every span of a tree read from edited text to the original file.
fn lead_back(node: &mut Node, edits: &[Edit], offset: usize) {
    let place = |span: Span| {
        let span = led_back(edits, span);
        Span::new(offset + span.start, offset + span.end.max(span.start))
    };
    node.span = place(node.span);
    match &mut node.value {
        Value::Scalar(_) => {}
        Value::Sequence(items) => {
            for item in items {
                lead_back(item, edits, offset);
            }
        }
        Value::Mapping(Mapping { entries }) => {
            for entry in entries {
                entry.key_span = place(entry.key_span);
                lead_back(&mut entry.value, edits, offset);
            }
        }
    }
}

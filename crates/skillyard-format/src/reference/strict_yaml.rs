//! The subset of YAML that the reference validator's reader accepts.
//!
//! It forbids flow style, anchors and tags, refuses repeated keys and uneven nested
//! mappings, and treats tabs more strictly than libyaml does. The first problem in
//! the order of the file wins, except that the last two are looked for at the end.

use super::alias;
use super::message::{Mark, StrictError, translate};
use crate::text::is_forbidden;
use crate::yaml::{self, Features, Mapping, Node, ScalarStyle, Tree, Value};

const FLOW: &str = "Found ugly disallowed JSONesque flow mapping (surround with ' and ' to make text appear literally)";
const ANCHOR: &str =
    "Found confusing disallowed anchor token (surround with ' and ' to make text appear literally)";
const TAG: &str = "Found disallowed tag tokens (do not specify types in markup)";

/// The root value of `source`.
pub(super) fn load(source: &str) -> Result<Option<Node>, StrictError> {
    let tree = match yaml::parse_simple(source, 0) {
        Some(tree) => match first_ban(source, &tree.features) {
            Some((_, ban)) => return Err(ban),
            None => tree,
        },
        None => read(source)?,
    };
    let Some(root) = &tree.root else {
        return Ok(None);
    };
    check_construction(source, root)?;
    Ok(tree.root)
}

/// Reads what the fast reader declines, problems in the order of the file.
fn read(source: &str) -> Result<Tree, StrictError> {
    if let Some((at, c)) = source.char_indices().find(|(_, c)| is_forbidden(*c)) {
        // The reference crashes here; we say what it meant to say.
        return Err(StrictError::new(
            format!(
                "unacceptable character #x{:04x}: special characters are not allowed",
                u32::from(c)
            ),
            Mark::new(source, at),
        ));
    }
    let masked = mask_surrogates(source);
    let (result, features) = yaml::parse_by_events(&masked, 0);
    let ban = first_ban(source, &features);
    let tree = match (result, ban) {
        (Err(error), Some((at, ban))) => {
            // The scanner reads one token ahead, so an error right behind wins.
            let adjacent = masked
                .get(at + 1..error.span.start)
                .is_some_and(|between| between.trim_matches(' ').is_empty());
            return Err(if adjacent {
                translate(source, &error)
            } else {
                ban
            });
        }
        (Err(error), None) => {
            return Err(match alias::of_error(&error) {
                Some(at) => alias::error(source, at),
                None => translate(source, &error),
            });
        }
        (Ok(_), Some((at, ban))) => {
            return Err(match first_tab(source, None).filter(|tab| *tab < at) {
                Some(tab) => tab_error(source, tab),
                None => ban,
            });
        }
        (Ok(tree), None) => tree,
    };
    if let Some(tab) = first_tab(source, tree.root.as_ref()) {
        return Err(tab_error(source, tab));
    }
    if let Some(second) = features.second_document {
        let start = tree.root.as_ref().map_or(0, |root| root.span.start);
        return Err(StrictError::new(
            "but found another document",
            Mark::new(source, second.start),
        )
        .within(
            "expected a single document in the stream",
            Mark::new(source, start),
        ));
    }
    Ok(tree)
}

/// The first forbidden feature and where it starts.
fn first_ban(source: &str, features: &Features) -> Option<(usize, StrictError)> {
    let mark = |at| Mark::new(source, at);
    let flow = features.flow.map(|flow| {
        let start = flow.span.start;
        (
            start,
            StrictError::new(FLOW, mark(start + 1)).within("While scanning", mark(start)),
        )
    });
    let anchor = features.anchor.and_then(|span| {
        let start = property(source, span.start, '&')?;
        let end = start
            + source[start..]
                .find(char::is_whitespace)
                .unwrap_or(source.len() - start);
        Some((
            start,
            StrictError::new(ANCHOR, mark(end)).within("While scanning", mark(start)),
        ))
    });
    let tag = features.tag.and_then(|span| {
        let start = property(source, span.start, '!')?;
        let end = start
            + source[start..]
                .find(char::is_whitespace)
                .unwrap_or(source.len() - start);
        Some((
            start,
            StrictError::new(TAG, mark(start)).within("While scanning", mark(end)),
        ))
    });
    [flow, anchor, tag]
        .into_iter()
        .flatten()
        .min_by_key(|(at, _)| *at)
}

/// Where the `&` or `!` of the node at `at` stands: libyaml's nodes start with their properties.
fn property(source: &str, at: usize, sign: char) -> Option<usize> {
    source.get(at..)?.find(sign).map(|found| at + found)
}

/// Two escapes for one character are text to the reference; give libyaml two that it knows.
fn mask_surrogates(source: &str) -> std::borrow::Cow<'_, str> {
    let lower = |at: usize| source.get(at..at + 4).map(str::to_ascii_lowercase);
    let is_surrogate = |at: usize| {
        lower(at).is_some_and(|hex| matches!(hex.as_bytes(), [b'd', b'8'..=b'9' | b'a'..=b'f', ..]))
    };
    if !source
        .match_indices("\\u")
        .any(|(at, _)| is_surrogate(at + 2))
    {
        return source.into();
    }
    let mut masked = source.to_owned();
    for (at, _) in source.match_indices("\\u") {
        if is_surrogate(at + 2) {
            masked.replace_range(at + 2..at + 6, "fffd");
        }
    }
    masked.into()
}

/// The first tab outside quotes, block text and comments.
fn first_tab(source: &str, root: Option<&Node>) -> Option<usize> {
    if !source.contains('\t') {
        return None;
    }
    let mut covered = Vec::new();
    if let Some(root) = root {
        cover(root, &mut covered);
    }
    source.match_indices('\t').map(|(at, _)| at).find(|at| {
        let inside = covered
            .iter()
            .any(|(start, end)| (*start..*end).contains(at));
        let line = &source[source[..*at].rfind('\n').map_or(0, |before| before + 1)..*at];
        let comment = line.trim_start().starts_with('#') || line.contains(" #");
        !inside && !comment
    })
}

fn cover(node: &Node, covered: &mut Vec<(usize, usize)>) {
    match &node.value {
        Value::Scalar(scalar) if scalar.style != ScalarStyle::Plain => {
            covered.push((node.span.start + 2, node.span.end));
        }
        Value::Scalar(_) => {}
        Value::Sequence(items) => items.iter().for_each(|item| cover(item, covered)),
        Value::Mapping(mapping) => mapping
            .entries
            .iter()
            .for_each(|entry| cover(&entry.value, covered)),
    }
}

fn tab_error(source: &str, at: usize) -> StrictError {
    StrictError::new(
        "found character '\\t' that cannot start any token",
        Mark::new(source, at),
    )
    .within("while scanning for the next token", None)
}

/// What is refused while the tree is built: repeated keys and uneven mappings.
fn check_construction(source: &str, node: &Node) -> Result<(), StrictError> {
    match &node.value {
        Value::Scalar(_) => Ok(()),
        Value::Sequence(items) => items
            .iter()
            .try_for_each(|item| check_construction(source, item)),
        Value::Mapping(mapping) => check_mapping(source, mapping),
    }
}

fn check_mapping(source: &str, mapping: &Mapping) -> Result<(), StrictError> {
    let mark = |at| Mark::new(source, at);
    for (at, entry) in mapping.entries.iter().enumerate() {
        check_construction(source, &entry.value)?;
        if mapping.entries[..at]
            .iter()
            .any(|earlier| earlier.key == entry.key)
        {
            return Err(StrictError::new(
                format!("Duplicate key '{}' found", entry.key),
                mark(entry.key_span.end),
            )
            .within("While parsing", mark(entry.key_span.start)));
        }
    }
    let mut column = None;
    for (at, entry) in mapping.entries.iter().enumerate() {
        let Some(inner) = entry
            .value
            .as_mapping()
            .and_then(|inner| inner.entries.first())
        else {
            continue;
        };
        let start = inner.key_span.start;
        let here = start - source[..start].rfind('\n').map_or(0, |before| before + 1);
        if *column.get_or_insert(here) != here {
            let end = mapping
                .entries
                .get(at + 1)
                .map_or(source.len(), |next| next.key_span.start);
            return Err(StrictError::new(
                "Found mapping with indentation inconsistent with previous mapping",
                mark(end),
            )
            .within("While parsing", mark(start)));
        }
    }
    Ok(())
}

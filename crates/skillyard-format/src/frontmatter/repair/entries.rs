//! Mending a block entry by entry: what parses by itself stays as it is.

use std::collections::HashSet;

use super::block::Block;
use super::{Repair, RepairKind};
use crate::edit::Edit;
use crate::skill::is_known_field;
use crate::span::{Line, Lines, Span};

/// The key of a `key: value` line without its indentation, and where the value starts.
pub(crate) fn key_of(line: &str) -> Option<(&str, usize)> {
    let (key, after) = word_of(line)?;
    let rest = &line[after..];
    let gap = rest.len() - rest.trim_start_matches(' ').len();
    let value = rest[gap..].strip_prefix(':')?;
    let closed = value.is_empty() || value.starts_with([' ', '\t']);
    if !closed {
        return None;
    }
    let spaces = value.len() - value.trim_start().len();
    Some((key, after + gap + 1 + spaces))
}

/// The same where a field that is known has a separator that YAML does not see: `：`, a colon without a space, or one
/// with a space of another kind.
pub(super) fn field_of(line: &str) -> Option<(&str, usize)> {
    key_of(line).or_else(|| {
        let (key, after) = word_of(line).filter(|(key, _)| is_known_field(key))?;
        let value = line[after..].trim_start().strip_prefix([':', '：'])?;
        Some((key, line.len() - value.trim_start().len()))
    })
}

/// The word a line starts with, perhaps in quotes, if it can be a key, and where it ends.
fn word_of(line: &str) -> Option<(&str, usize)> {
    let (key, after) = if let Some(quote @ (b'"' | b'\'')) = line.as_bytes().first() {
        let length = line[1..].find(char::from(*quote))?;
        (&line[1..=length], length + 2)
    } else {
        let length =
            line.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')))?;
        (&line[..length], length)
    };
    let starts_well = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts_well.then_some((key, after))
}

/// The repairs that make `source`, which stands at `offset` in the file, readable.
pub(super) fn repair(source: &str, offset: usize) -> Vec<Repair> {
    let mut repairs = Vec::new();
    let lines: Vec<Line> = Lines::new(source).collect();
    let Some(indent) = lines.iter().find_map(|line| {
        let (spaces, text) = indentation(line.text);
        field_of(text).map(|_| spaces)
    }) else {
        return repairs;
    };
    mend(source, &lines, indent, offset, 0, &mut repairs);
    repairs
}

pub(super) fn indentation(line: &str) -> (usize, &str) {
    let text = line.trim_start_matches(' ');
    (line.len() - text.len(), text)
}

/// Mends the entries at `indent` among `lines` of `source`.
pub(super) fn mend(
    source: &str,
    lines: &[Line],
    indent: usize,
    offset: usize,
    nesting: usize,
    repairs: &mut Vec<Repair>,
) {
    let mut starts = Vec::new();
    let mut strays = Vec::new();
    let mut keys = HashSet::new();
    let mut literal = false;
    for (at, line) in lines.iter().enumerate() {
        let (spaces, text) = indentation(line.text);
        let is_outermost = nesting == 0 && spaces == indent;
        let found = if is_outermost {
            field_of(text)
        } else {
            key_of(text)
        };
        let Some((key, value)) = found else {
            let word = word_of(text).filter(|(word, _)| is_outermost && is_known_field(word));
            strays.extend(word.map(|(word, _)| (at, word)));
            continue;
        };
        let misplaced = spaces != indent;
        // A known field that is indented below a one-line value was meant as a key.
        if misplaced && (nesting > 0 || literal || starts.is_empty() || !is_known_field(key)) {
            continue;
        }
        if misplaced {
            let span = Span::new(offset + line.start, offset + line.start + spaces);
            repairs.push(Repair {
                kind: RepairKind::Indented { key: key.into() },
                edits: vec![Edit::remove(span)],
                span: Span::new(span.end, span.end + key.len()),
            });
        }
        literal = text[value.min(text.len())..].is_empty() || text[value..].starts_with(['|', '>']);
        starts.push(at);
        keys.insert(key);
    }
    // A line that starts with the name of a field which is nowhere else was meant as that field, and is no more of
    // the one before it.
    strays.retain(|(_, word)| !keys.contains(word));

    let first = starts.first().copied().unwrap_or(lines.len());
    for line in &lines[..first] {
        comment_out(line, offset, repairs);
    }
    for (at, start) in starts.iter().enumerate() {
        let mut end = starts.get(at + 1).copied().unwrap_or(lines.len());
        let next = strays.partition_point(|(line, _)| line < start);
        if let Some((stray, _)) = strays.get(next).filter(|(line, _)| *line < end) {
            for line in &lines[*stray..end] {
                comment_out(line, offset, repairs);
            }
            end = *stray;
        }
        Block {
            source,
            lines: &lines[*start..end],
            offset,
            nesting,
        }
        .mend(repairs);
    }
}

/// Turns a line that belongs to no key into a comment, so that nothing is lost.
fn comment_out(line: &Line, offset: usize, repairs: &mut Vec<Repair>) {
    let text = line.text.trim();
    if text.is_empty() || text.starts_with('#') {
        return;
    }
    let span = Span::new(offset + line.start, offset + line.end);
    repairs.push(Repair {
        kind: RepairKind::Stray,
        edits: vec![Edit::replace(Span::at(span.start), "# ")],
        span,
    });
}

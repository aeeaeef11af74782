//! Mending a block entry by entry: what parses by itself stays as it is.

use super::block::Block;
use super::{Repair, RepairKind};
use crate::edit::Edit;
use crate::skill::is_known_field;
use crate::span::{Line, Lines, Span};

/// The key of a `key: value` line without its indentation, and where the value starts.
pub(crate) fn key_of(line: &str) -> Option<(&str, usize)> {
    let (key, after) = if let Some(quote @ (b'"' | b'\'')) = line.as_bytes().first() {
        let length = line[1..].find(char::from(*quote))?;
        (&line[1..=length], length + 2)
    } else {
        let length =
            line.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')))?;
        (&line[..length], length)
    };
    let starts_well = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let rest = &line[after..];
    let gap = rest.len() - rest.trim_start_matches(' ').len();
    let value = rest[gap..].strip_prefix(':')?;
    let closed = value.is_empty() || value.starts_with([' ', '\t']);
    if !starts_well || !closed {
        return None;
    }
    let spaces = value.len() - value.trim_start().len();
    Some((key, after + gap + 1 + spaces))
}

/// The repairs that make `source`, which stands at `offset` in the file, readable.
pub(super) fn repair(source: &str, offset: usize) -> Vec<Repair> {
    let mut repairs = Vec::new();
    let lines: Vec<Line> = Lines::new(source).collect();
    let Some(indent) = lines.iter().find_map(|line| {
        let (spaces, text) = indentation(line.text);
        key_of(text).map(|_| spaces)
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
    let mut literal = false;
    for (at, line) in lines.iter().enumerate() {
        let (spaces, text) = indentation(line.text);
        let Some((key, value)) = key_of(text) else {
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
    }

    let first = starts.first().copied().unwrap_or(lines.len());
    for line in &lines[..first] {
        comment_out(line, offset, repairs);
    }
    for (at, start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).copied().unwrap_or(lines.len());
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

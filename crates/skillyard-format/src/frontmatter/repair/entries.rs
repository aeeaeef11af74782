//! Mending a block entry by entry: what parses by itself stays as it is.

use std::collections::HashSet;

use crate::edit::{Edit, apply};
use crate::fields::is_known_field;
use crate::frontmatter::repair::quoted;
use crate::frontmatter::repair::surrogate_pairs;
use crate::frontmatter::repair::{Repair, RepairKind};
use crate::span::{Line, Lines, Span};
use crate::yaml::{self, YamlError};

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

/// Deepest nesting that is mended; deeper blocks are quoted whole.
const MAX_NESTING: usize = 4;

/// The lines of one entry.
pub(super) struct Block<'a> {
    pub(super) source: &'a str,
    pub(super) lines: &'a [Line<'a>],
    pub(super) offset: usize,
    pub(super) nesting: usize,
}

impl Block<'_> {
    fn span(&self) -> Span {
        let (Some(first), Some(last)) = (self.lines.first(), self.lines.last()) else {
            return Span::default();
        };
        Span::new(first.start, last.next)
    }

    fn text(&self) -> &str {
        self.span().of(self.source)
    }

    /// Adds what makes the entry readable, if it is not.
    pub(super) fn mend(&self, repairs: &mut Vec<Repair>) {
        if let Some(separator) = self.separator() {
            let value = match check(&self.with(std::slice::from_ref(&separator))) {
                Ok(()) => Vec::new(),
                Err(error) => self.by_quoting(&error, ""),
            };
            repairs.push(separator);
            repairs.extend(value);
            return;
        }
        let Err(error) = check(self.text()) else {
            return;
        };
        let found = self
            .by_surrogates()
            .or_else(|| self.by_nested_entries())
            .or_else(|| self.by_items())
            .unwrap_or_else(|| self.by_quoting(&error, self.gap()));
        repairs.extend(found);
    }

    /// What stands between a field and its value, where YAML does not see a separator in it.
    fn separator(&self) -> Option<Repair> {
        let (key, value) = self.key();
        let line = self.lines[0];
        let head = line.text.get(..value).filter(|_| !key.is_empty())?;
        let name = head.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '：'));
        let separator = &head[name.len()..];
        let has_value = line.text.len() > value;
        if separator.is_ascii() && (!has_value || separator.ends_with([' ', '\t'])) {
            return None;
        }
        let start = self.offset + line.start;
        let span = Span::new(start + name.len(), start + value);
        Some(Repair {
            kind: RepairKind::Separator {
                key: key.to_owned(),
            },
            edits: vec![Edit::replace(span, if has_value { ": " } else { ":" })],
            span,
        })
    }

    /// What has to stand before a quoted value.
    fn gap(&self) -> &'static str {
        let start = self.lines[0].start + self.key().1;
        if self.source[..start].ends_with(':') {
            " "
        } else {
            ""
        }
    }

    /// `\ud83d\udd2d`: two escapes for one character, as JSON writes it.
    fn by_surrogates(&self) -> Option<Vec<Repair>> {
        let start = self.span().start;
        let edits = surrogate_pairs(self.text(), start + self.offset);
        let span = edits.first()?.span;
        self.accept(vec![Repair {
            kind: RepairKind::Surrogates,
            edits,
            span,
        }])
    }

    /// The entry is a mapping of its own: mend that.
    fn by_nested_entries(&self) -> Option<Vec<Repair>> {
        if self.nesting >= MAX_NESTING || !self.first_line_has_no_value() {
            return None;
        }
        let inner = self.lines.get(1..)?;
        let (indent, text) = inner
            .iter()
            .map(|line| indentation(line.text))
            .find(|(_, text)| !text.is_empty() && !text.starts_with('#'))?;
        key_of(text)?;
        let mut repairs = Vec::new();
        mend(
            self.source,
            inner,
            indent,
            self.offset,
            self.nesting + 1,
            &mut repairs,
        );
        self.accept(repairs)
    }

    /// The entry is a list: quote the items that do not parse.
    fn by_items(&self) -> Option<Vec<Repair>> {
        if !self.first_line_has_no_value() {
            return None;
        }
        let mut repairs = Vec::new();
        for line in &self.lines[1..] {
            let (spaces, text) = indentation(line.text);
            let Some(item) = text.strip_prefix("- ") else {
                continue;
            };
            let value = item.trim();
            if let Err(error) = check(&format!("- {value}\n")) {
                let start =
                    self.offset + line.start + spaces + 2 + (item.len() - item.trim_start().len());
                let span = Span::new(start, start + value.len());
                repairs.push(Repair {
                    kind: RepairKind::Unquoted {
                        key: self.key().0.to_owned(),
                        error: moved(&error, span),
                    },
                    edits: vec![Edit::replace(span, quoted(unwrapped(value)))],
                    span,
                });
            }
        }
        self.accept(repairs)
    }

    /// The value, with all the lines that follow it, is text.
    fn by_quoting(&self, error: &YamlError, gap: &str) -> Vec<Repair> {
        let (key, value) = self.key();
        let first = self.lines[0];
        let start = first.start + value;
        let end = self
            .lines
            .iter()
            .rev()
            .find(|line| !line.text.trim().is_empty());
        let end = end.map_or(first.end, |line| line.end).max(start);
        let text = self.folded(value);
        let span = Span::new(self.offset + start, self.offset + end);
        vec![Repair {
            kind: RepairKind::Unquoted {
                key: key.to_owned(),
                error: moved(error, span),
            },
            edits: vec![Edit::replace(span, format!("{gap}{}", quoted(&text)))],
            span,
        }]
    }

    /// The value and its continuation lines as one text.
    fn folded(&self, value: usize) -> String {
        let first = self.lines[0].text.get(value..).unwrap_or_default().trim();
        let header = first.trim_end_matches(|c: char| matches!(c, '-' | '+') || c.is_ascii_digit());
        let keeps_lines = header == "|";
        let first = match first.strip_prefix(['|', '>']) {
            Some(_) if matches!(header, "|" | ">") => "",
            // `> text`: the indicator was meant for lines that a converter lost.
            Some(rest) => match rest.trim_start_matches(['-', '+']).strip_prefix(' ') {
                Some(text) => text.trim(),
                None => first,
            },
            None => first,
        };
        let mut text = first.to_owned();
        let mut blank = false;
        for line in &self.lines[1..] {
            let line = line.text.trim();
            if line.is_empty() {
                blank = !text.is_empty();
                continue;
            }
            if !text.is_empty() {
                text.push_str(match (blank, keeps_lines) {
                    (true, true) => "\n\n",
                    (true, false) | (false, true) => "\n",
                    (false, false) => " ",
                });
            }
            text.push_str(line);
            blank = false;
        }
        unwrapped(&text).to_owned()
    }

    fn key(&self) -> (&str, usize) {
        let (spaces, text) = indentation(self.lines[0].text);
        match field_of(text) {
            Some((key, value)) => (key, spaces + value),
            None => ("", self.lines[0].text.len()),
        }
    }

    fn first_line_has_no_value(&self) -> bool {
        let (_, value) = self.key();
        self.lines[0].text.get(value..).is_none_or(str::is_empty)
    }

    /// The repairs, if the entry parses with them.
    fn accept(&self, repairs: Vec<Repair>) -> Option<Vec<Repair>> {
        let is_edited = repairs.iter().any(|repair| !repair.edits.is_empty());
        (is_edited && check(&self.with(&repairs)).is_ok()).then_some(repairs)
    }

    /// The entry with the repairs made.
    fn with(&self, repairs: &[Repair]) -> String {
        let span = self.span();
        let edits: Vec<Edit> = repairs
            .iter()
            .flat_map(|repair| &repair.edits)
            .map(|edit| {
                let base = self.offset + span.start;
                Edit {
                    span: Span::new(edit.span.start - base, edit.span.end - base),
                    replacement: edit.replacement.clone(),
                }
            })
            .collect();
        apply(self.text(), &edits)
    }
}

fn check(source: &str) -> Result<(), YamlError> {
    yaml::parse(source, 0).map(|_| ())
}

/// The parser's complaint about an entry, placed on the entry's value.
fn moved(error: &YamlError, span: Span) -> YamlError {
    YamlError {
        problem: error.problem,
        span,
        context: None,
    }
}

/// `text` without the one pair of quotes around it, or a lone opening quote.
fn unwrapped(text: &str) -> &str {
    for quote in ['"', '\''] {
        let Some(inner) = text.strip_prefix(quote) else {
            continue;
        };
        return match inner.strip_suffix(quote) {
            Some(inside) => inside,
            None if !inner.contains(quote) => inner,
            None => text,
        };
    }
    text
}

//! Mending one entry: its escapes, the entries or items inside it, or all of its value as text.

use super::entries::{field_of, indentation, key_of, mend};
use super::quote::quoted;
use super::surrogates::surrogate_pairs;
use super::{Repair, RepairKind};
use crate::edit::{Edit, apply};
use crate::span::{Line, Span};
use crate::yaml::{self, YamlError};

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

//! Frontmatter that is not YAML, because a text in it needs quotes.
//!
//! Agents repair it too, each in its own way and less than Skillyard. What each of them can still read
//! was measured with files of every kind.

use skillyard_format::Document;
use skillyard_format::document::Frontmatter;
use skillyard_format::frontmatter::repair::{Repair, RepairKind};
use skillyard_format::yaml::{Mapping, ScalarStyle, Value};

/// What YAML does not take for text at the start of a value.
const NON_TEXT_STARTS: [char; 10] = ['[', '{', '*', '&', '!', '@', '`', '%', '>', '|'];

/// The texts of a file that need quotes, and what stands beside them.
pub(super) struct Unquoted<'a> {
    texts: Vec<UnquotedText<'a>>,
    document: &'a Document<'a>,
}

/// One text that needs quotes.
struct UnquotedText<'a> {
    /// Its field.
    key: &'a str,
    /// All of it.
    whole: &'a str,
    /// Whether it stands in a field of a field, or in a list.
    is_inner: bool,
}

impl<'a> Unquoted<'a> {
    /// Those of a file.
    pub(super) fn of(document: &'a Document<'a>) -> Self {
        let repairs = match &document.frontmatter {
            Frontmatter::Read { repairs, .. } => &repairs[..],
            _ => &[],
        };
        let texts = repairs
            .iter()
            .filter_map(|each| UnquotedText::of(each, document));
        Self {
            texts: texts.collect(),
            document,
        }
    }

    /// Whether something is left over for who puts quotes around the value of each line that has a
    /// colon and a space in it, or that starts with one of a few marks. That makes a text of braces,
    /// too, which is not valid `metadata`.
    pub(super) fn defies_lines(&self) -> bool {
        let is_fixed = |text: &UnquotedText<'_>| {
            text.is_one_line()
                && !text.whole.starts_with(['"', '\'', '>', '|'])
                && (text.has_colon() || text.whole.starts_with(['[', '{', '@', '`', '!']))
        };
        !self.texts.is_empty() && (!self.texts.iter().all(is_fixed) || self.has_braced_metadata())
    }

    /// Whether something is left over for an agent that makes a block of the value of each field that has a colon in its first line.
    pub(super) fn defies_fields(&self) -> bool {
        let is_fixed = |text: &UnquotedText<'_>| {
            !text.is_inner
                && !text.is_torn()
                && !text.key.contains('-')
                && text.first_line().contains(':')
                && !text.is_in_quotes()
                && !text.whole.starts_with(['[', '{'])
        };
        !self.texts.iter().all(is_fixed)
    }

    /// Whether something is left over for an agent that puts quotes around the value of each field that has a colon and a space in it,
    /// or starts with a mark: a block, too, and then the lines of the block are left over.
    pub(super) fn defies_quotes(&self) -> bool {
        let is_fixed = |text: &UnquotedText<'_>| {
            !text.is_inner
                && text.is_one_line()
                && !text.is_in_quotes()
                && (text.has_colon() || text.whole.starts_with(NON_TEXT_STARTS))
        };
        !self.texts.is_empty() && (!self.texts.iter().all(is_fixed) || self.has_block())
    }

    fn fields(&self) -> Option<&Mapping> {
        self.document.mapping()
    }

    fn has_braced_metadata(&self) -> bool {
        let metadata = self.fields().and_then(|fields| fields.get("metadata"));
        metadata.is_some_and(|entry| {
            let written = entry.value.span.of(&self.document.text);
            entry.value.as_mapping().is_some() && written.starts_with('{') && written.contains(": ")
        })
    }

    fn has_block(&self) -> bool {
        let mut entries = self.fields().into_iter().flat_map(|fields| &fields.entries);
        entries.any(|entry| {
            matches!(&entry.value.value, Value::Scalar(text) if text.style == ScalarStyle::Block)
        })
    }
}

impl<'a> UnquotedText<'a> {
    fn of(repair: &'a Repair, document: &'a Document<'a>) -> Option<Self> {
        let RepairKind::Unquoted { key, .. } = &repair.kind else {
            return None;
        };
        let before = document.text.get(..repair.span.start)?;
        let line = before.rsplit(['\n', '\r']).next().unwrap_or(before);
        Some(Self {
            key,
            whole: repair.span.of(&document.text).trim(),
            is_inner: line.starts_with([' ', '\t', '-']),
        })
    }

    fn first_line(&self) -> &str {
        let mut lines = self.whole.split(['\n', '\r']);
        lines.next().unwrap_or_default().trim_end()
    }

    fn is_one_line(&self) -> bool {
        !self.whole.contains(['\n', '\r'])
    }

    /// Whether a line that follows is not indented.
    fn is_torn(&self) -> bool {
        let mut lines = self.whole.lines().skip(1);
        lines.any(|line| line.starts_with(|c: char| !c.is_whitespace()))
    }

    fn has_colon(&self) -> bool {
        self.whole.contains(": ")
    }

    fn is_in_quotes(&self) -> bool {
        let line = self.first_line();
        let is_in =
            |quote: char| line.len() > 1 && line.starts_with(quote) && line.ends_with(quote);
        is_in('"') || is_in('\'')
    }
}

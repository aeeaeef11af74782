//! Where the frontmatter of a file begins and ends, by lines.
//!
//! The standard only says "YAML frontmatter followed by Markdown". Here the block
//! opens with a `---` line and closes with the next one; what real files do
//! instead is recognised, named in [`Split`], and left to the rules to judge.

pub mod repair;

use crate::span::{Line, Lines, Span};
use crate::text::BOM;
use crate::yaml::{self, Mapping};

/// How a file is divided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The YAML between the delimiters, its last line break included.
    pub yaml: Span,
    /// Everything behind the closing delimiter's line.
    pub body: Span,
    /// The closing delimiter's line; empty at the end of the block when there is none.
    pub closer: Span,
    /// What was unusual.
    pub oddities: Vec<Oddity>,
}

/// Something unusual about the delimiters, with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oddity {
    /// A byte order mark at the start.
    ByteOrderMark(Span),
    /// Blank lines or spaces before the opening delimiter.
    LeadingSpace(Span),
    /// The block, or the whole file, is wrapped in a Markdown code fence.
    Fenced {
        /// The opening fence's line, its break included.
        open: Span,
        /// The closing fence's line, its break included, if there is one.
        close: Option<Span>,
    },
    /// The block is not closed by a line that says `---`.
    Closer(Span, Closer),
}

impl Oddity {
    /// Whether more of the file could change what was found.
    pub(crate) fn needs_whole_file(&self) -> bool {
        matches!(self, Self::Fenced { .. } | Self::Closer(..))
    }
}

/// What stands in the place of a closing `---` line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closer {
    /// Text follows the dashes on the same line.
    Glued,
    /// A line `...`, which ends a YAML document.
    Dots,
    /// The dashes are indented.
    Indented,
    /// Nothing: the block was taken to end where its keys end.
    Missing,
}

/// Why a file has no frontmatter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    /// The file has no text at all.
    Empty,
    /// The file's only text is a path, as when a symbolic link was checked out as text.
    LinkAsText,
    /// The file does not start with `---`.
    NoFrontmatter,
}

/// Divides `text` into frontmatter and body.
pub fn split(text: &str) -> Result<Split, Absent> {
    let mut oddities = Vec::new();
    let mut at = 0;
    if text.starts_with(BOM) {
        at = BOM.len_utf8();
        oddities.push(Oddity::ByteOrderMark(Span::new(0, at)));
    }
    let spaces = leading_space(&text[at..]);
    if at + spaces == text.len() {
        return Err(Absent::Empty);
    }
    let fence = find_fence(text, at + spaces);
    if spaces > 0 {
        oddities.push(Oddity::LeadingSpace(Span::new(at, at + spaces)));
        at += spaces;
    }
    let mut end = text.len();
    if let Some(fence) = fence {
        at = fence.inner.start;
        end = fence.inner.end;
        oddities.push(Oddity::Fenced {
            open: fence.open,
            close: fence.close,
        });
    }

    let mut lines = Lines::from(&text[..end], at);
    let opens = |line: &Line| line.text.trim_end_matches([' ', '\t']) == "---";
    let Some(opener) = lines.next().filter(opens) else {
        return Err(if is_link_as_text(text) {
            Absent::LinkAsText
        } else {
            Absent::NoFrontmatter
        });
    };
    let start = opener.next;
    let (closer, kind) = find_closer(text, start, end);
    if let Some(kind) = kind {
        oddities.push(Oddity::Closer(closer, kind));
    }
    let body_start = match kind {
        // The text behind glued dashes belongs to the body.
        Some(Closer::Glued) => closer.start + 3,
        _ => closer.end,
    };
    let body = match fence.and_then(|fence| fence.close) {
        // The fence encloses the frontmatter alone: the body stands behind it.
        Some(close) if text[body_start..end].trim().is_empty() => Span::new(close.end, text.len()),
        _ => Span::new(body_start, end),
    };
    Ok(Split {
        yaml: Span::new(start, closer.start.max(start)),
        body,
        closer,
        oddities,
    })
}

/// The spans of every further line that could close the block, for when YAML ends later.
pub fn later_closers(text: &str, split: &Split) -> impl Iterator<Item = Span> {
    Lines::from(text, split.closer.end)
        .filter(|line| line.text.trim_end() == "---")
        .map(|line| Span::new(line.start, line.next))
}

fn leading_space(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t', '\n', '\r']).len()
}

/// The closing line, or the best stand-in for it.
fn find_closer(text: &str, start: usize, end: usize) -> (Span, Option<Closer>) {
    let text = &text[..end];
    let mut stand_in = None;
    for line in Lines::from(text, start) {
        // Most lines are a key, perhaps indented, which is seen at its first letter.
        let first = line.text.bytes().find(|byte| *byte != b' ');
        if first.is_some_and(|byte| byte.is_ascii_alphanumeric()) {
            continue;
        }
        let span = Span::new(line.start, line.next);
        let trimmed = line.text.trim_end_matches([' ', '\t']);
        if trimmed == "---" {
            // `---# Title` before the first real `---` line is a closer with its line
            // break lost, if what precedes it is frontmatter and what follows is not.
            return match stand_in {
                Some((glued, Closer::Glued)) => (glued, Some(Closer::Glued)),
                // Text behind `...` is a body, and the dashes are a rule in it.
                Some((dots, Closer::Dots)) if !text[dots.end..line.start].trim().is_empty() => {
                    (dots, Some(Closer::Dots))
                }
                _ => (span, None),
            };
        }
        let kind = if trimmed.trim_start() == "---" {
            Closer::Indented
        } else if trimmed == "..." {
            Closer::Dots
        } else if trimmed.starts_with("---") && !trimmed.starts_with("----") {
            Closer::Glued
        } else {
            continue;
        };
        stand_in.get_or_insert((span, kind));
    }
    if let Some((span, kind)) = stand_in {
        return (span, Some(kind));
    }
    let at = end_of_keys(text, start);
    (Span::at(at), Some(Closer::Missing))
}

/// Where an unclosed block most likely ends: at the first blank line that is not
/// followed by an indented line or a key, or at a Markdown heading.
fn end_of_keys(text: &str, start: usize) -> usize {
    let lines: Vec<Line> = Lines::from(text, start).collect();
    let goes_on = goes_on(&lines);
    let mut end = start;
    for (line, goes_on) in lines.iter().zip(goes_on) {
        let blank = line.text.trim().is_empty();
        if line.text.starts_with("# ") || line.text.starts_with("## ") {
            break;
        }
        if blank {
            if !goes_on {
                break;
            }
            continue;
        }
        end = line.next;
    }
    end
}

/// For each line, whether it or the first text behind it is indented or a key.
///
/// Told for all lines at once, because a file can be nothing but blank lines.
fn goes_on(lines: &[Line]) -> Vec<bool> {
    let mut next = false;
    let mut answers: Vec<bool> = lines
        .iter()
        .rev()
        .map(|line| {
            if !line.text.trim().is_empty() {
                next = line.text.starts_with([' ', '\t']) || repair::key_of(line.text).is_some();
            }
            next
        })
        .collect();
    answers.reverse();
    answers
}

/// Whether the whole text is one relative path to a `SKILL.md`.
fn is_link_as_text(text: &str) -> bool {
    let text = text.trim();
    text.len() < 1024
        && !text.contains(['\n', '\r'])
        && !text.contains(' ')
        && (text.starts_with("../") || text.starts_with("./") || text.contains('/'))
        && text.to_ascii_lowercase().ends_with(".md")
}

/// A fence and what it encloses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fence {
    /// The opening line, its break included.
    pub(super) open: Span,
    /// The text inside.
    pub(super) inner: Span,
    /// The closing line, its break included.
    pub(super) close: Option<Span>,
}

/// The fence that opens at `at`, if its first line inside is a `---` delimiter.
fn find_fence(text: &str, at: usize) -> Option<Fence> {
    if !text[at..].starts_with("```") {
        return None;
    }
    let mut lines = Lines::from(text, at);
    let first = lines.next()?;
    let ticks = first.text.len() - first.text.trim_start_matches('`').len();
    if first.text[ticks..].contains('`') {
        return None;
    }
    let open = Span::new(first.start, first.next);
    let inner: Vec<_> = lines.collect();
    let delimiter = inner.iter().find(|line| !line.text.trim().is_empty())?;
    if delimiter.text.trim_end() != "---" {
        return None;
    }
    // Fences inside the body come in pairs, so a fence around the whole file closes
    // with the last one, and a fence around the frontmatter alone with the first.
    let fences: Vec<_> = inner
        .iter()
        .filter(|line| line.text.starts_with("```"))
        .collect();
    let after_frontmatter = inner
        .iter()
        .filter(|line| line.start > delimiter.start && line.text.trim_end() == "---")
        .map(|line| line.start)
        .next();
    let close = match fences.len() % 2 {
        0 => None,
        _ => fences
            .iter()
            .find(|fence| {
                // A fence that names a language opens a block of the body.
                let bare = fence.text.trim_end().trim_matches('`').is_empty();
                after_frontmatter.is_some_and(|closer| {
                    bare && fence.start > closer && text[closer..fence.start].trim() == "---"
                })
            })
            .or(fences.last())
            .map(|line| Span::new(line.start, line.next)),
    };
    Some(Fence {
        open,
        inner: Span::new(
            delimiter.start,
            close.map_or(text.len(), |close| close.start),
        ),
        close,
    })
}

/// How many `---` lines are tried; a text has them as rules, too.
const MAX_OPENERS: usize = 4;

/// A block that was meant as the frontmatter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Displaced {
    /// The block with both of its lines.
    Whole(Span),
    /// The first line is missing: the fields start here.
    Unopened(usize),
}

/// The fields that the file has, but not where they belong.
pub(crate) fn find_displaced(text: &str) -> Option<Displaced> {
    unopened(text).or_else(|| whole(text))
}

/// Fields from the first line on, closed by a `---` line.
fn unopened(text: &str) -> Option<Displaced> {
    let first = Lines::new(text).find(|line| !line.text.trim().is_empty())?;
    let start = first.start + first.text.len() - without_mark(first.text).len();
    let closer = Lines::from(text, start).find(|line| line.text.trim_end() == "---")?;
    is_frontmatter(Span::new(start, closer.start), text).then_some(Displaced::Unopened(start))
}

/// A block further down, but none in a code fence: that is an example.
fn whole(text: &str) -> Option<Displaced> {
    let mut fence = None;
    let openers = Lines::new(text).filter(|line| {
        let mark = line.text.trim_start().get(..3);
        match (fence, mark) {
            (None, Some("```" | "~~~")) => fence = mark,
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => return fence.is_none() && line.text.trim_end() == "---",
        }
        false
    });
    openers.take(MAX_OPENERS).find_map(|line| {
        let found = split(&text[line.start..]).ok()?;
        let is_closed = !(found.oddities.iter()).any(|oddity| matches!(oddity, Oddity::Closer(..)));
        let at = |place: usize| line.start + place;
        let yaml = Span::new(at(found.yaml.start), at(found.yaml.end));
        let is_it = is_closed && is_frontmatter(yaml, text);
        is_it.then(|| Displaced::Whole(Span::new(line.start, at(found.closer.end))))
    })
}

fn is_frontmatter(yaml: Span, text: &str) -> bool {
    let tree = yaml::parse(yaml.of(text), yaml.start).ok();
    let root = tree.and_then(|tree| tree.root);
    let mapping = root.as_ref().and_then(|root| root.as_mapping());
    let has =
        |mapping: &Mapping| mapping.get("name").is_some() || mapping.get("description").is_some();
    mapping.is_some_and(has)
}

fn without_mark(line: &str) -> &str {
    line.trim_start_matches([crate::text::BOM, ' ', '\t'])
}

#[cfg(test)]
mod tests;

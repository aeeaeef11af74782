//! Frontmatter that does not stand at the top of its file: behind a licence, a heading or a note.

use super::{Oddity, split};
use crate::span::{Lines, Span};
use crate::yaml::{self, Mapping};

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
pub(crate) fn find(text: &str) -> Option<Displaced> {
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

//! A Markdown code fence around the frontmatter or around the whole file.

use crate::span::{Lines, Span};

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
pub(super) fn find(text: &str, at: usize) -> Option<Fence> {
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

//! Replacements in a text, and where a byte of the result came from.

use serde::Serialize;

use crate::span::Span;

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Edit {
    /// What is replaced.
    pub span: Span,
    /// What takes its place.
    pub replacement: String,
}

impl Edit {
    /// Replaces `span` by `replacement`.
    pub fn replace(span: Span, replacement: impl Into<String>) -> Self {
        Self {
            span,
            replacement: replacement.into(),
        }
    }

    /// Removes `span`.
    pub fn remove(span: Span) -> Self {
        Self::replace(span, "")
    }
}

/// Applies `edits` to `text`; of two that overlap, the one that starts first is kept.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for edit in ordered(edits) {
        if edit.span.start < at {
            continue;
        }
        let (Some(kept), true) = (text.get(at..edit.span.start), edit.span.end <= text.len())
        else {
            continue;
        };
        result.push_str(kept);
        result.push_str(&edit.replacement);
        at = edit.span.end;
    }
    result.push_str(text.get(at..).unwrap_or_default());
    result
}

/// Where byte `offset` of the edited text stood in the original.
///
/// A byte inside a replacement stands for the start of what was replaced.
pub fn original_offset(edits: &[Edit], offset: usize) -> usize {
    let mut edited = 0;
    let mut original = 0;
    for edit in ordered(edits) {
        if edit.span.start < original {
            continue;
        }
        let kept = edit.span.start - original;
        if offset < edited + kept {
            break;
        }
        edited += kept;
        if offset < edited + edit.replacement.len() {
            return edit.span.start;
        }
        edited += edit.replacement.len();
        original = edit.span.end;
    }
    original + (offset - edited)
}

fn ordered(edits: &[Edit]) -> Vec<&Edit> {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| edit.span);
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_applied_in_order_of_place() {
        let edits = [
            Edit::replace(Span::new(4, 5), "E"),
            Edit::replace(Span::new(0, 1), "AA"),
            Edit::remove(Span::new(0, 3)),
        ];
        assert_eq!(apply("abcdef", &edits[..2]), "AAbcdEf");
        assert_eq!(apply("abcdef", &edits[1..]), "AAbcdef");
    }

    #[test]
    fn an_edit_out_of_bounds_changes_nothing() {
        assert_eq!(apply("ab", &[Edit::remove(Span::new(1, 9))]), "ab");
    }

    #[test]
    fn offsets_lead_back_to_the_original() {
        let edits = [Edit::replace(Span::new(2, 3), "xyz")];
        let back: Vec<_> = (0..8).map(|at| original_offset(&edits, at)).collect();
        assert_eq!(back, [0, 1, 2, 2, 2, 3, 4, 5]);
    }
}

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

/// The way from a byte of an edited text back to the original.
///
/// Built once and asked often: a hostile file can need as many edits as it has bytes.
#[derive(Debug)]
pub struct Origins {
    steps: Vec<AppliedEdit>,
}

/// One replacement, as it stands in both texts.
#[derive(Debug)]
struct AppliedEdit {
    edited: Span,
    original: Span,
}

impl Origins {
    /// The way back through `edits`.
    pub fn new(edits: &[Edit]) -> Self {
        let mut steps: Vec<AppliedEdit> = Vec::with_capacity(edits.len());
        for edit in ordered(edits) {
            let (edited, original) = steps
                .last()
                .map_or((0, 0), |step| (step.edited.end, step.original.end));
            if edit.span.start < original {
                continue;
            }
            let start = edited + (edit.span.start - original);
            steps.push(AppliedEdit {
                edited: Span::new(start, start + edit.replacement.len()),
                original: edit.span,
            });
        }
        Self { steps }
    }

    /// Where byte `offset` of the edited text stood in the original.
    ///
    /// A byte inside a replacement stands for the start of what was replaced.
    pub fn of(&self, offset: usize) -> usize {
        let behind = self
            .steps
            .partition_point(|step| step.edited.start <= offset);
        match behind.checked_sub(1).map(|last| &self.steps[last]) {
            None => offset,
            Some(step) if offset < step.edited.end => step.original.start,
            Some(step) => step.original.end + (offset - step.edited.end),
        }
    }
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
        let origins = Origins::new(&edits);
        let back: Vec<_> = (0..8).map(|at| origins.of(at)).collect();
        assert_eq!(back, [0, 1, 2, 2, 2, 3, 4, 5]);
    }

    #[test]
    fn offsets_pass_over_what_was_removed() {
        let edits = [Edit::remove(Span::new(1, 3)), Edit::remove(Span::new(3, 4))];
        let origins = Origins::new(&edits);
        let back: Vec<_> = (0..3).map(|at| origins.of(at)).collect();
        assert_eq!(back, [0, 4, 5]);
    }
}

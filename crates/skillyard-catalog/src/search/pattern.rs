//! Trigger patterns: untrusted regular expressions, run over the task.
//!
//! The engine takes time linear in the task, whatever the pattern, and a pattern whose compiled form is large is refused.

use std::sync::OnceLock;

use regex::Regex;
use skillyard_format::triggers::pattern;

/// The longest part of a task that patterns look at, in bytes.
const MAX_TASK_BYTES: usize = 16 * 1024;

/// One pattern of one document, compiled when first needed.
#[derive(Debug, Clone)]
pub(super) struct TriggerPattern {
    pub(super) document: u32,
    pub(super) source: String,
    compiled: OnceLock<Option<Regex>>,
}

impl TriggerPattern {
    /// A pattern of a document.
    pub(super) fn new(document: u32, source: &str) -> Self {
        Self {
            document,
            source: source.to_owned(),
            compiled: OnceLock::new(),
        }
    }

    /// The part of `task` that the pattern matches; `None` also for a pattern that does not compile, matches any text or matches nothing at all.
    pub(super) fn find<'t>(&self, task: &'t str) -> Option<&'t str> {
        let compiled = self.compiled.get_or_init(|| pattern(&self.source).ok());
        let end = task.floor_char_boundary(MAX_TASK_BYTES);
        let found = compiled.as_ref()?.find(&task[..end])?.as_str();
        (!found.trim().is_empty()).then_some(found)
    }
}

impl PartialEq for TriggerPattern {
    fn eq(&self, other: &Self) -> bool {
        self.document == other.document && self.source == other.source
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'t>(source: &str, task: &'t str) -> Option<&'t str> {
        TriggerPattern::new(0, source).find(task)
    }

    #[test]
    fn finds_without_regard_to_case() {
        assert_eq!(
            found(r"fill (in|out) .*pdf", "Please FILL IN this PDF"),
            Some("FILL IN this PDF")
        );
        assert_eq!(found("pdf", "xlsx"), None);
    }

    #[test]
    fn catastrophic_patterns_are_linear() {
        assert!(found(r"^(a+)+$", &("a".repeat(10_000) + "!")).is_none());
        assert!(found(r"(x*)*y", &"x".repeat(1_000_000)).is_none());
    }

    #[test]
    fn bad_huge_and_empty_patterns_match_nothing() {
        assert_eq!(found("(", "("), None);
        assert_eq!(found(r"(\pL{1000}){1000}", "a"), None);
        assert_eq!(
            found(&("(".repeat(500) + "a" + &")".repeat(500)), "a"),
            None
        );
        assert_eq!(found("", "anything"), None);
        assert_eq!(found(r"\s*", "anything"), None);
    }
}

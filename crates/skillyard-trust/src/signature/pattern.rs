//! Patterns over names, sources and identities: `*` stands for any characters, all else for itself.
//!
//! A scope decides who may sign what, so its language is kept so small that nobody misreads it.

use serde::{Deserialize, Serialize};

use crate::wildcard;

/// A pattern such as `pdf-*` or `github:acme/*`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pattern(String);

impl Pattern {
    /// A pattern; every text is one.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the whole `text` fits.
    pub fn matches(&self, text: &str) -> bool {
        wildcard::matches(&self.0, text)
    }
}

/// Whether any pattern fits; an empty list fits everything.
pub(super) fn allows(patterns: &[Pattern], text: &str) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(text))
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, text, expected) in [
            ("pdf", "pdf", true),
            ("pdf", "pdf-tools", false),
            ("pdf-*", "pdf-tools", true),
            ("pdf-*", "pdf", false),
            ("*", "", true),
            ("a*a", "a", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("[a-z]", "b", false),
            ("github:acme/*", "github:acme/skills/pdf", true),
            ("github:acme/*", "github:acme-evil/skills", false),
            ("", "x", false),
        ] {
            assert_eq!(
                Pattern::new(pattern).matches(text),
                expected,
                "{pattern} {text}"
            );
        }
    }
}

//! A pattern that is compiled when it is first needed.

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

/// A regular expression over folded text: small letters, one blank, no Unicode classes.
///
/// The engine behind it has no backtracking, so a hostile text costs no more than a long one.
#[derive(Debug)]
pub(crate) struct Pattern {
    source: &'static str,
    compiled: OnceLock<Regex>,
}

impl Pattern {
    /// A pattern in the syntax of `regex`, where blanks and line breaks mean nothing.
    pub(crate) const fn new(source: &'static str) -> Self {
        Self {
            source,
            compiled: OnceLock::new(),
        }
    }

    /// The first match.
    pub(crate) fn find(&self, text: &str) -> Option<Range<usize>> {
        let found = self.regex().find(text.as_bytes())?.range();
        // Bytes are matched, so that either end may lie inside a character.
        Some(text.floor_char_boundary(found.start)..text.ceil_char_boundary(found.end))
    }

    /// Whether there is a match.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.regex().is_match(text.as_bytes())
    }

    /// How often it matches, counted up to `most`.
    pub(crate) fn count(&self, text: &str, most: usize) -> usize {
        self.regex().find_iter(text.as_bytes()).take(most).count()
    }

    /// Every match.
    pub(crate) fn find_all<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let found = self.regex().find_iter(text.as_bytes());
        found.filter_map(|each| text.get(each.range()))
    }

    fn regex(&self) -> &Regex {
        self.compiled.get_or_init(|| {
            RegexBuilder::new(self.source)
                .unicode(false)
                .ignore_whitespace(true)
                .dot_matches_new_line(true)
                .build()
                .expect("a pattern is a constant")
        })
    }
}

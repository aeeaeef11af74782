//! A text that patterns are asked about, with the sketch that answers most of them.

use std::ops::Deref;

use super::grams::Grams;

/// A plain text, and its sketch where one was made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text<'a> {
    plain: &'a str,
    grams: Option<&'a Grams>,
}

impl<'a> Text<'a> {
    /// A text that more than one pattern is asked about, with its sketch.
    pub(crate) fn sketched(plain: &'a str, grams: &'a Grams) -> Self {
        Self {
            plain,
            grams: Some(grams),
        }
    }

    /// The text itself.
    pub(crate) fn plain(self) -> &'a str {
        self.plain
    }

    /// Its sketch, or that of a text it is a part of.
    pub(crate) fn grams(self) -> Option<&'a Grams> {
        self.grams
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(plain: &'a str) -> Self {
        Self { plain, grams: None }
    }
}

impl<'a> From<&&'a str> for Text<'a> {
    fn from(plain: &&'a str) -> Self {
        Self::from(*plain)
    }
}

impl<'a> From<&'a String> for Text<'a> {
    fn from(plain: &'a String) -> Self {
        Self::from(plain.as_str())
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.plain
    }
}

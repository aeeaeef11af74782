//! A piece of text that many share.
//!
//! The index keeps the texts of all skills in one buffer, and a catalog of ten thousand
//! would spend more time on copying them out than on everything else it does. A [`Text`]
//! is a place in such a buffer, which stays as long as somebody refers to it.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, Range};
use std::sync::Arc;

use serde::{Serialize, Serializer};

/// A piece of text in a shared buffer.
#[derive(Clone)]
pub struct Text {
    buffer: Arc<String>,
    range: Range<usize>,
}

impl Text {
    /// The piece of `buffer` at `range`, if that is text in it.
    pub(crate) fn of(buffer: &Arc<String>, range: Range<usize>) -> Option<Self> {
        buffer.get(range.clone())?;
        Some(Self {
            buffer: Arc::clone(buffer),
            range,
        })
    }

    /// Several texts in one buffer of their own.
    pub(crate) fn together<const N: usize>(texts: [&str; N]) -> [Self; N] {
        let buffer = Arc::new(texts.concat());
        let mut at = 0;
        texts.map(|text| {
            let start = at;
            at += text.len();
            Self {
                buffer: Arc::clone(&buffer),
                range: start..at,
            }
        })
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        self
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        let [text] = Self::together([text]);
        text
    }
}

impl Deref for Text {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        &self.buffer[self.range.clone()]
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Text {}

/// A map by texts can be asked with any text.
impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self
    }
}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        str::hash(self, state);
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_one_buffer_are_told_apart() {
        let [first, none, last] = Text::together(["é", "", "x y"]);
        assert_eq!((&*first, &*none, &*last), ("é", "", "x y"));
        assert!(Arc::ptr_eq(&first.buffer, &last.buffer));
    }

    #[test]
    fn only_text_is_given_out() {
        let buffer = Arc::new("aé".to_owned());
        assert_eq!(Text::of(&buffer, 1..3).unwrap(), "é");
        for range in [0..4, 0..2, 2..3, 4..4] {
            assert_eq!(Text::of(&buffer, range), None);
        }
        #[expect(
            clippy::reversed_empty_ranges,
            reason = "that is what must not be read"
        )]
        let reversed = Text::of(&buffer, 1..0);
        assert_eq!(reversed, None);
    }
}

//! Where a pattern in a script of `sed` may end.
//!
//! Some end it at the first delimiter; others not where one stands in brackets, and these do not
//! agree about where brackets end. So the pattern is read in all of these ways at once.

use std::collections::BTreeSet;

/// Where a reading of a pattern stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mode {
    Plain,
    /// Behind a backslash.
    Escaped,
    /// Behind the `[` that opens brackets, or the `^` behind it.
    First,
    Inside,
    /// Behind a backslash in brackets, which has a meaning for some.
    InsideEscaped,
    /// Behind a `[` in brackets.
    MayBeClass,
    /// In a class such as `[:alpha:]`.
    Class(char),
    /// Behind the letter that may end the class.
    ClassEnd(char),
}

/// The places behind the delimiters that may end the pattern which begins here.
pub(super) fn ends(text: &[char], begins: usize, delimiter: char) -> BTreeSet<usize> {
    let mut ends = BTreeSet::new();
    let mut modes = BTreeSet::from([Mode::Plain]);
    for (at, c) in text.iter().enumerate().skip(begins) {
        if *c == delimiter && modes.remove(&Mode::Plain) {
            ends.insert(at + 1);
        }
        let next = modes.iter().flat_map(|mode| mode.behind(*c));
        modes = next.collect();
        if modes.is_empty() {
            break;
        }
    }
    ends
}

impl Mode {
    fn behind(self, c: char) -> Vec<Self> {
        match (self, c) {
            (Self::Plain, '\\') => vec![Self::Escaped],
            (Self::Plain, '[') => vec![Self::Plain, Self::First],
            (Self::Plain | Self::Escaped, _) | (Self::Inside, ']') => vec![Self::Plain],
            (Self::First, '^') => vec![Self::First, Self::Inside],
            (Self::First, ']') => vec![Self::Inside, Self::Plain],
            (Self::First | Self::Inside, '\\') => vec![Self::Inside, Self::InsideEscaped],
            (Self::First | Self::Inside, '[') => vec![Self::Inside, Self::MayBeClass],
            (Self::First | Self::Inside | Self::InsideEscaped, _) | (Self::ClassEnd(_), ']') => {
                vec![Self::Inside]
            }
            (Self::MayBeClass, '[') => vec![Self::MayBeClass],
            (Self::MayBeClass, ':' | '.' | '=') => vec![Self::Class(c)],
            (Self::Class(kind), _) if c == kind => vec![Self::ClassEnd(kind)],
            (Self::ClassEnd(kind), _) if c == kind => vec![self, Self::Class(kind)],
            (Self::Class(kind) | Self::ClassEnd(kind), _) if c != '\n' => vec![Self::Class(kind)],
            (Self::MayBeClass | Self::Class(_) | Self::ClassEnd(_), _) => Vec::new(),
        }
    }
}

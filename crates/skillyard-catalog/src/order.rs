//! An order of sources of one's own, by their kinds.
//!
//! The folders are those of the default order. Kinds that are not named come behind those that
//! are, so that no order makes skills vanish.

use std::fmt;

use crate::source::SourceKind;

/// The kinds that can be put in order, as they stand in the default order.
pub const KINDS: [SourceKind; 5] = [
    SourceKind::Project,
    SourceKind::User,
    SourceKind::Extra,
    SourceKind::Org,
    SourceKind::Builtin,
];

/// The kinds of sources in some order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order([SourceKind; KINDS.len()]);

/// Why words are no order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    /// Nothing is named.
    #[error("it names no kind of source")]
    Empty,
    /// There is no such kind, or it has its place whatever the order.
    #[error("`{0}` is no kind of source that can be put in order")]
    Unknown(String),
    /// A kind is named twice.
    #[error("it names `{0}` twice")]
    Twice(&'static str),
}

impl Order {
    /// The kinds that are named, then the others as they stand in the default order.
    pub fn new<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self, OrderError> {
        let mut named: Vec<SourceKind> = Vec::new();
        for word in words {
            let kind = KINDS.into_iter().find(|kind| kind.as_str() == word);
            let kind = kind.ok_or_else(|| OrderError::Unknown(word.to_owned()))?;
            if named.contains(&kind) {
                return Err(OrderError::Twice(kind.as_str()));
            }
            named.push(kind);
        }
        if named.is_empty() {
            return Err(OrderError::Empty);
        }
        let others = KINDS.into_iter().filter(|kind| !named.contains(kind));
        let mut kinds = KINDS;
        for (place, kind) in kinds.iter_mut().zip(named.iter().copied().chain(others)) {
            *place = kind;
        }
        Ok(Self(kinds))
    }

    /// All kinds, the first wins.
    pub fn kinds(self) -> [SourceKind; KINDS.len()] {
        self.0
    }
}

impl Default for Order {
    fn default() -> Self {
        Self(KINDS)
    }
}

impl fmt::Display for Order {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.0.map(SourceKind::as_str);
        formatter.write_str(&words.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[&str], expected: &str) {
        let order = Order::new(words.iter().copied());
        let told = order.map_or_else(|error| error.to_string(), |order| order.to_string());
        assert_eq!(told, expected, "{words:?}");
    }

    #[test]
    fn what_is_not_named_comes_behind() {
        check(&["user", "project"], "user,project,extra,org,builtin");
        check(&["builtin"], "builtin,project,user,extra,org");
        check(&[], "it names no kind of source");
        check(&["user", "user"], "it names `user` twice");
        check(
            &["org-pinned"],
            "`org-pinned` is no kind of source that can be put in order",
        );
    }
}

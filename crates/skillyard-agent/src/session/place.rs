//! A place in the list of sessions, from which it goes on.

use std::fmt;
use std::str::FromStr;

/// The place behind a session in the list, also after that one was used again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// When the session was last used.
    pub(super) updated: String,
    /// Its name.
    pub(super) id: String,
}

/// What is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is no place in a list of sessions")]
pub struct NoPlace;

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{},{}", self.updated, self.id)
    }
}

impl FromStr for Place {
    type Err = NoPlace;

    fn from_str(text: &str) -> Result<Self, NoPlace> {
        let (updated, id) = text.split_once(',').ok_or(NoPlace)?;
        let is_plain = |part: &str| {
            (1..=64).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_graphic())
        };
        if !is_plain(updated) || !is_plain(id) {
            return Err(NoPlace);
        }
        Ok(Self {
            updated: updated.to_owned(),
            id: id.to_owned(),
        })
    }
}

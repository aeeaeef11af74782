//! Tokens and their roles. Only their hashes are kept, and they are compared in constant time.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};
use skillyard_audit::Event;
use subtle::ConstantTimeEq as _;

use super::Role;

/// The least length of a token: shorter ones can be guessed.
const MIN_TOKEN_LENGTH: usize = 24;

/// Tokens and their roles.
#[derive(Clone, Default)]
pub struct Tokens {
    known: Vec<(Role, [u8; 32])>,
}

/// What is wrong with a file of tokens.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccessError {
    /// A line is not a role and a token.
    #[error("line {line} is not a role and a token")]
    Line {
        /// The line, from 1.
        line: usize,
    },
    /// A role is unknown.
    #[error("line {line} has a role other than `read`, `chat`, `run` or `admin`")]
    Role {
        /// The line, from 1.
        line: usize,
    },
    /// A token is too short.
    #[error("the token in line {line} has fewer than {MIN_TOKEN_LENGTH} characters")]
    Short {
        /// The line, from 1.
        line: usize,
    },
    /// A token stands in two lines.
    #[error("the token in line {line} has a role already, in a line before it")]
    Repeated {
        /// The second line, from 1.
        line: usize,
    },
    /// There is none.
    #[error("there is no token in it")]
    Empty,
}

impl Tokens {
    /// Reads a file with one role and token a line; `#` starts a comment.
    pub fn parse(text: &str) -> Result<Self, AccessError> {
        let mut tokens = Self::default();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let at = at + 1;
            let mut words = line.split_whitespace();
            let (Some(role), Some(token), None) = (words.next(), words.next(), words.next()) else {
                return Err(AccessError::Line { line: at });
            };
            let role = role.parse().map_err(|()| AccessError::Role { line: at })?;
            if token.len() < MIN_TOKEN_LENGTH {
                return Err(AccessError::Short { line: at });
            }
            let hash = hash(token);
            // Whoever narrows a token down with a second line would be mistaken.
            if tokens.known.iter().any(|(_, known)| *known == hash) {
                return Err(AccessError::Repeated { line: at });
            }
            tokens.known.push((role, hash));
        }
        if tokens.known.is_empty() {
            return Err(AccessError::Empty);
        }
        Ok(tokens)
    }

    /// Who has a token; every known one is looked at, whichever it is.
    pub(crate) fn holder(&self, token: &str) -> Option<Holder> {
        let offered = hash(token);
        let mut found = None;
        for (role, known) in &self.known {
            if bool::from(offered.ct_eq(known)) {
                found = found.max(Some(*role));
            }
        }
        Some(Holder {
            role: found?,
            name: hex::encode(&offered[..8]),
        })
    }

    /// Whether somebody who had a token still has it.
    pub(super) fn has(&self, holder: &Holder) -> bool {
        let mut known = self.known.iter();
        known.any(|(role, hash)| *role == holder.role && hex::encode(&hash[..8]) == holder.name)
    }
}

/// Whoever has a token, or the user of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// What they may do.
    pub role: Role,
    /// What they are known by: the beginning of the token's hash. The user of this machine has none.
    pub name: String,
}

impl Holder {
    /// The user of this machine.
    pub fn user() -> Self {
        Self {
            role: Role::Admin,
            name: String::new(),
        }
    }

    /// Somebody who has shown no token.
    pub(crate) fn nobody() -> Self {
        Self {
            role: Role::Read,
            name: String::new(),
        }
    }

    /// What an event of theirs says: with which token and role they did it.
    pub fn details(&self) -> BTreeMap<String, String> {
        if self.name.is_empty() {
            return BTreeMap::new();
        }
        BTreeMap::from([
            ("token".to_owned(), self.name.clone()),
            ("role".to_owned(), self.role.as_str().to_owned()),
        ])
    }

    /// An event of theirs.
    pub(crate) fn signed(&self, mut event: Event) -> Event {
        event.detail.extend(self.details());
        event
    }
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} tokens", self.known.len())
    }
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: &str = "0123456789abcdef01234567";

    #[test]
    fn a_token_has_its_role_and_nothing_near_it_has() {
        let tokens = Tokens::parse(&format!("# ours\nread {LONG}r\nadmin {LONG}a\n")).unwrap();
        let role = |token: &str| tokens.holder(token).map(|holder| holder.role);
        assert_eq!(role(&format!("{LONG}r")), Some(Role::Read));
        assert_eq!(role(&format!("{LONG}a")), Some(Role::Admin));
        for wrong in ["", LONG, "0123456789abcdef01234567R"] {
            assert_eq!(role(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_no_list_of_tokens_is_refused_with_its_line() {
        let check = |text: &str, expected| assert_eq!(Tokens::parse(text).err(), Some(expected));
        check("", AccessError::Empty);
        check("# only\n", AccessError::Empty);
        check("\nadmin", AccessError::Line { line: 2 });
        check(&format!("root {LONG}"), AccessError::Role { line: 1 });
        check("admin short", AccessError::Short { line: 1 });
        let twice = format!("read {LONG}\n\nadmin {LONG}\n");
        check(&twice, AccessError::Repeated { line: 3 });
    }

    #[test]
    fn a_token_that_was_taken_away_holds_no_more() {
        let before = Tokens::parse(&format!("run {LONG}r\nadmin {LONG}a\n")).unwrap();
        let after = Tokens::parse(&format!("chat {LONG}r\n")).unwrap();
        let holder = before.holder(&format!("{LONG}r")).unwrap();
        assert!(before.has(&holder));
        assert!(!after.has(&holder), "it has another role now");
        assert!(!after.has(&before.holder(&format!("{LONG}a")).unwrap()));
    }

    #[test]
    fn tokens_are_not_printed() {
        let tokens = Tokens::parse(&format!("admin {LONG}")).unwrap();
        assert_eq!(format!("{tokens:?}"), "1 tokens");
    }
}

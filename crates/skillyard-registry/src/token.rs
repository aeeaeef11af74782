//! Tokens: who somebody is, what they may do, and until when.
//!
//! A token is `sky_` and 64 random hex digits, so that scanners of secrets recognise it. Only its
//! SHA-256 is stored: who reads the database cannot act as anybody.

mod scope;

use jiff::Timestamp;
use secrecy::{ExposeSecret as _, SecretString};
use skillyard_format::Digest;

pub use scope::{Action, Scope, ScopeError};

/// What every token begins with.
pub const PREFIX: &str = "sky_";

/// A new token, shown once.
#[derive(Debug)]
pub struct NewToken {
    /// The token itself.
    pub secret: SecretString,
    /// The name it can be revoked by.
    pub id: String,
}

impl NewToken {
    /// Draws a token.
    pub fn draw() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        let text = format!("{PREFIX}{}", hex::encode(bytes));
        Ok(Self {
            id: hash(&text)[..12].to_owned(),
            secret: SecretString::from(text),
        })
    }

    /// What is stored of it.
    pub fn hash(&self) -> String {
        hash(self.secret.expose_secret())
    }

    /// Its first characters, which tell tokens apart and give nothing away.
    pub fn shown(&self) -> String {
        self.secret
            .expose_secret()
            .chars()
            .take(PREFIX.len() + 4)
            .collect()
    }
}

/// What is stored of a token.
pub(crate) fn hash(token: &str) -> String {
    Digest::of(token.as_bytes()).to_hex()
}

/// Whether a text can be the name of a token; what cannot is not looked up.
pub(crate) fn is_id(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whom a good token names.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The token's name.
    pub token: String,
    /// The account.
    pub account: String,
    /// What the token allows.
    pub scopes: Vec<Scope>,
    /// When it ends.
    pub expires: Option<Timestamp>,
}

impl Identity {
    /// Whether the token allows an action on a skill.
    pub fn may(&self, action: Action, skill: &str) -> bool {
        self.scopes.iter().any(|scope| scope.allows(action, skill))
    }

    /// Whether the token allows an action on anything whose name begins so.
    pub fn may_within(&self, action: Action, start: &str) -> bool {
        self.scopes.iter().any(|scope| scope.reaches(action, start))
    }

    /// Whether the token may hand on a scope.
    pub fn covers(&self, scope: &Scope) -> bool {
        // Everybody who has a token may read.
        scope.action == Action::Read || self.scopes.iter().any(|own| own.covers(scope))
    }
}

/// A name that an account can have.
pub fn is_account(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=64).contains(&text.len()) && text.chars().all(is_plain) && !text.starts_with(['-', '.'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_shows_nothing_of_itself() {
        let token = NewToken::draw().unwrap();
        let secret = token.secret.expose_secret().to_owned();
        assert!(secret.starts_with(PREFIX));
        assert!(!format!("{token:?}").contains(&secret[4..]));
        assert!(!token.hash().contains(&secret[4..]));
    }
}

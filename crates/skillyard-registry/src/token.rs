//! Tokens: who somebody is, what they may do, and until when.
//!
//! A token is `sky_` and 64 random hex digits, so that scanners of secrets recognise it. Only its
//! SHA-256 is stored: who reads the database cannot act as anybody.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use secrecy::{ExposeSecret as _, SecretString};
use skillyard_format::Digest;

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
}

/// What is stored of a token.
pub(crate) fn hash(token: &str) -> String {
    Digest::of(token.as_bytes()).to_hex()
}

/// Something a token may allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Publish versions.
    Publish,
    /// Withdraw versions, and take that back.
    Yank,
    /// Say who else owns a skill.
    Owners,
}

impl Action {
    const ALL: [Self; 3] = [Self::Publish, Self::Yank, Self::Owners];

    /// Its word in a scope.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Publish => "publish",
            Self::Yank => "yank",
            Self::Owners => "owners",
        }
    }
}

/// What a token allows: an action, for all skills or those of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    action: Action,
    /// A name, or the start of one before `*`.
    pattern: Option<String>,
}

/// A text that is no scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no scope: use `publish`, `yank` or `owners`, alone or with `:NAME` or `:PREFIX*`"
)]
pub struct ScopeError(String);

impl FromStr for Scope {
    type Err = ScopeError;

    fn from_str(text: &str) -> Result<Self, ScopeError> {
        let wrong = || ScopeError(text.chars().take(100).collect());
        let (action, pattern) = match text.split_once(':') {
            Some((action, pattern)) => (action, Some(pattern)),
            None => (text, None),
        };
        let action = Action::ALL.into_iter().find(|each| each.as_str() == action);
        let is_name = |c: char| c.is_alphanumeric() || c == '-';
        if let Some(pattern) = pattern {
            let start = pattern.strip_suffix('*').unwrap_or(pattern);
            if pattern.is_empty() || !start.chars().all(is_name) {
                return Err(wrong());
            }
        }
        Ok(Self {
            action: action.ok_or_else(wrong)?,
            pattern: pattern.map(str::to_owned),
        })
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.action.as_str())?;
        match &self.pattern {
            Some(pattern) => write!(f, ":{pattern}"),
            None => Ok(()),
        }
    }
}

impl Scope {
    fn allows(&self, action: Action, skill: &str) -> bool {
        self.action == action
            && match &self.pattern {
                None => true,
                Some(pattern) => match pattern.strip_suffix('*') {
                    Some(start) => skill.starts_with(start),
                    None => skill == pattern,
                },
            }
    }
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
    fn scopes_allow_what_they_say_and_no_more() {
        let may =
            |scope: &str, action, skill| scope.parse::<Scope>().unwrap().allows(action, skill);
        assert!(may("publish", Action::Publish, "pdf"));
        assert!(!may("publish", Action::Yank, "pdf"));
        assert!(may("yank:pdf", Action::Yank, "pdf"));
        assert!(!may("yank:pdf", Action::Yank, "pdf-tools"));
        assert!(may("owners:pdf*", Action::Owners, "pdf-tools"));
        assert!(!may("owners:pdf*", Action::Owners, "xpdf"));
        for bad in ["", "all", "publish:", "publish:a/b", "publish:%", "Publish"] {
            assert!(bad.parse::<Scope>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_token_shows_nothing_of_itself() {
        let token = NewToken::draw().unwrap();
        let secret = token.secret.expose_secret().to_owned();
        assert!(secret.starts_with(PREFIX));
        assert!(!format!("{token:?}").contains(&secret[4..]));
        assert!(!token.hash().contains(&secret[4..]));
    }
}

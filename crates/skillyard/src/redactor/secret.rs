//! A value that nobody may see: a token, a password, the value of a header.

use std::fmt;

use secrecy::{ExposeSecret as _, SecretString};
use serde::{Serialize, Serializer};

/// What is shown in place of a secret.
pub(crate) const REDACTED: &str = "…redacted";

/// A secret, which prints and serialises as [`REDACTED`] and is wiped from memory at the end.
#[derive(Clone)]
pub(crate) struct Secret(SecretString);

impl Secret {
    /// Keeps a value from being seen.
    pub(crate) fn new(value: impl Into<String>) -> Self {
        Self(SecretString::from(value.into()))
    }

    /// The value, for the one who sends it or writes it down.
    pub(crate) fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

/// Two settings may be the same; nobody who could guess is told.
impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(REDACTED)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(REDACTED)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(REDACTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_shows_the_value() {
        let secret = Secret::new("hunter2-hunter2");
        assert_eq!(
            format!("{secret} {secret:?} {:#?}", Some(&secret))
                .matches("hunter2")
                .count(),
            0
        );
        assert_eq!(
            serde_json::to_string(&secret).unwrap(),
            format!("\"{REDACTED}\"")
        );
        assert_eq!(secret.expose(), "hunter2-hunter2");
    }
}

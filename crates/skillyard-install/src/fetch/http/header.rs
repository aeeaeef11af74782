//! Headers of requests, whose values are secrets.

use std::fmt;

use reqwest::header::{HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};

use super::error::HttpError;
use crate::reference::Credentials;

/// A header whose value is never shown, and is sent to the first host only.
#[derive(Clone)]
pub struct Header {
    name: HeaderName,
    value: HeaderValue,
}

impl Header {
    /// A header of this name and value.
    pub fn new(name: &str, value: &SecretString) -> Result<Self, HttpError> {
        let error = |problem| HttpError::Header {
            name: crate::reference::shown::shown(name),
            problem,
        };
        let name: HeaderName = name
            .trim()
            .parse()
            .map_err(|_| error("that is no name of a header"))?;
        // These say how the message is read, and a wrong one smuggles in another.
        if matches!(
            name.as_str(),
            "host" | "content-length" | "transfer-encoding" | "connection" | "upgrade" | "te"
        ) {
            return Err(error("it is not for users to set"));
        }
        let mut value = HeaderValue::from_str(value.expose_secret().trim())
            .map_err(|_| error("its value has a line break or control character"))?;
        value.set_sensitive(true);
        Ok(Self { name, value })
    }

    /// Reads `Name: value`.
    pub fn parse(text: &SecretString) -> Result<Self, HttpError> {
        let Some((name, value)) = text.expose_secret().split_once(':') else {
            return Err(HttpError::Header {
                name: "…".to_owned(),
                problem: "a header is written `Name: value`",
            });
        };
        Self::new(name, &SecretString::from(value))
    }

    /// `Authorization: Bearer …`.
    pub fn bearer(token: &SecretString) -> Result<Self, HttpError> {
        let value = SecretString::from(format!("Bearer {}", token.expose_secret()));
        Self::new("authorization", &value)
    }

    /// `PRIVATE-TOKEN: …`, which GitLab reads.
    pub fn private_token(token: &SecretString) -> Result<Self, HttpError> {
        Self::new("private-token", token)
    }

    /// `Authorization: Basic …`.
    pub fn basic(credentials: &Credentials) -> Result<Self, HttpError> {
        let password = credentials
            .password
            .as_ref()
            .map_or("", |password| password.expose_secret());
        let pair = format!("{}:{password}", credentials.user.expose_secret());
        let value = format!(
            "Basic {}",
            base64::Engine::encode(&base64::prelude::BASE64_STANDARD, pair)
        );
        Self::new("authorization", &SecretString::from(value))
    }

    /// `name: value`, for a program that sends it itself.
    pub(crate) fn to_line(&self) -> String {
        let value = String::from_utf8_lossy(self.value.as_bytes());
        format!("{}: {value}", self.name)
    }

    pub(super) fn name(&self) -> &HeaderName {
        &self.name
    }

    pub(super) fn value(&self) -> &HeaderValue {
        &self.value
    }
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: …", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_never_shown_and_cannot_smuggle() {
        let header = Header::parse(&SecretString::from("X-Key: s3cret")).unwrap();
        assert_eq!(format!("{header:?}"), "x-key: …");
        for text in [
            "X-Key",
            "X Key: s3cret",
            "X: s3cret\r\nY: z",
            "Host: s3cret",
            "Content-Length: 1",
            ": s3cret",
        ] {
            let error = Header::parse(&SecretString::from(text)).unwrap_err();
            assert!(!format!("{error:?} {error}").contains("s3cret"), "{error}");
        }
    }
}

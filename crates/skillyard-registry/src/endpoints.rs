//! One file per endpoint.

pub(crate) mod apm;
pub(crate) mod changes;
pub(crate) mod deprecate;
pub(crate) mod dist_tags;
pub(crate) mod download;
pub(crate) mod health;
pub(crate) mod index;
pub(crate) mod list;
pub(crate) mod log;
pub(crate) mod marketplace;
pub(crate) mod me;
pub(crate) mod namespaces;
pub(crate) mod owners;
pub(crate) mod publish;
pub(crate) mod ready;
pub(crate) mod show;
mod summary;
pub(crate) mod tokens;
pub(crate) mod transfers;
pub(crate) mod well_known;
pub(crate) mod yank;

use axum::http::{HeaderValue, header};
use axum::response::Response;
use semver::Version;
use skillyard_format::{Namespace, QualifiedName};

use crate::error::RegistryError;

/// A name out of an address; what cannot be a name is not there.
pub(crate) fn named(text: &str) -> Result<QualifiedName, RegistryError> {
    let missing = || RegistryError::NoSkill(text.chars().take(104).collect());
    let name: QualifiedName = text.parse().map_err(|_| missing())?;
    // One skill has one address.
    if name.as_str() == text {
        Ok(name)
    } else {
        Err(missing())
    }
}

/// A namespace out of an address, with its `@` or without.
fn namespaced(text: &str) -> Result<Namespace, RegistryError> {
    let missing = |_| RegistryError::NoNamespace(text.chars().take(64).collect());
    Namespace::new(text).map_err(missing)
}

/// A version out of an address.
pub(crate) fn numbered(name: &QualifiedName, text: &str) -> Result<Version, RegistryError> {
    Version::parse(text).map_err(|_| RegistryError::NoVersion {
        skill: name.to_string(),
        version: text.chars().take(64).collect(),
    })
}

/// A text that somebody sent along: not endless, and nothing that terminals or databases choke on.
fn worded(what: &str, text: &str) -> Result<(), RegistryError> {
    const LONGEST: usize = 500;
    if text.len() > LONGEST || text.chars().any(char::is_control) {
        let reason = format!("`{what}` is one line of at most {LONGEST} bytes");
        return Err(RegistryError::Parameter(reason));
    }
    Ok(())
}

/// JSON that is written already, with the tag of what it was made of.
pub(crate) fn json_response(mut response: Response, tag: &str) -> Response {
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    if let Ok(tag) = HeaderValue::from_str(tag) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

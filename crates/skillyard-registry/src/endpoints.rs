//! One file per endpoint.

pub(crate) mod apm;
pub(crate) mod curation;
pub(crate) mod dist_tags;
mod documents;
pub(crate) mod download;
pub(crate) mod health;
pub(crate) mod index;
pub(crate) mod list;
pub(crate) mod log;
pub(crate) mod marketplace;
pub(crate) mod namespaces;
pub(crate) mod owners;
pub(crate) mod publish;
pub(crate) mod show;
pub(crate) mod tokens;
pub(crate) mod transfers;
pub(crate) mod well_known;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use semver::Version;
use skillyard_format::{Namespace, QualifiedName};

use crate::error::RegistryError;
use crate::server::Server;

/// The largest body of a change that is not an upload.
const MAX_CHANGE_BYTES: usize = 64 * 1024;

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

/// Refuses a text of a request that is too long or has control characters.
fn worded(what: &str, text: &str) -> Result<(), RegistryError> {
    const MAX_BYTES: usize = 500;
    if text.len() > MAX_BYTES || text.chars().any(char::is_control) {
        let reason = format!("`{what}` is one line of at most {MAX_BYTES} bytes");
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

/// Handles a change in a task of its own, so that it completes when its client disconnects.
pub(crate) async fn detached(
    State(server): State<Server>,
    request: Request,
    next: Next,
) -> Response {
    if request.method().is_safe() {
        return next.run(request).await;
    }
    // The whole body first: the rest of it might never come.
    let (parts, body) = request.into_parts();
    let request = match publish::whole(body, MAX_CHANGE_BYTES).await {
        Ok(body) => Request::from_parts(parts, Body::from(body)),
        Err(error) => return error.into_response(),
    };
    let answer = server.in_flight.finish(next.run(request)).await;
    answer.unwrap_or_else(RegistryError::into_response)
}

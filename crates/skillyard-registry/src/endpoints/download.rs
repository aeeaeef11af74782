//! `GET /skills/{name}/download` and `GET /skills/{name}/{version}/download`.

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use semver::Version;
use skillyard_format::{Digest, QualifiedName};

use super::{named, numbered};
use crate::error::RegistryError;
use crate::package;
use crate::peer::Peer;
use crate::segments::Segments;
use crate::server::Server;
use crate::store::downloads::Download;

/// What a version that is named may be kept for.
pub(super) const FOR_GOOD: &str = "public, max-age=31536000, immutable";
/// What the latest may be kept for.
const NOT_LONG: &str = "public, max-age=0, must-revalidate";

/// Fetch the archive of the latest version
#[utoipa::path(get, path = "/skills/{name}/download", tag = "skills",
    params(("name" = String, Path, description = "the skill")),
    responses((status = 200, body = Vec<u8>, content_type = "application/gzip",
        headers(("ETag" = String), ("X-Skillyard-Version" = String), ("X-Skillyard-Digest" = String)))))]
pub(crate) async fn latest(
    State(server): State<Server>,
    Segments(name): Segments<String>,
    peer: Peer,
) -> Result<Response, RegistryError> {
    let name = named(&name)?;
    send(&server, &name, None, peer, NOT_LONG).await
}

/// Fetch the archive of a version, which never changes
#[utoipa::path(get, path = "/skills/{name}/{version}/download", tag = "skills",
    params(("name" = String, Path, description = "the skill"),
        ("version" = String, Path, description = "the version")),
    responses((status = 200, body = Vec<u8>, content_type = "application/gzip",
        headers(("ETag" = String), ("X-Skillyard-Version" = String), ("X-Skillyard-Digest" = String)))))]
pub(crate) async fn version(
    State(server): State<Server>,
    Segments((name, version)): Segments<(String, String)>,
    peer: Peer,
) -> Result<Response, RegistryError> {
    let name = named(&name)?;
    let version = numbered(&name, &version)?;
    send(&server, &name, Some(&version), peer, FOR_GOOD).await
}

/// The same, at an address that says what kind of archive it is
#[utoipa::path(get, path = "/skills/{name}/{version}/archive.tar.gz", tag = "skills",
    params(("name" = String, Path, description = "the skill"),
        ("version" = String, Path, description = "the version")),
    responses((status = 200, body = Vec<u8>, content_type = "application/gzip")))]
pub(crate) async fn archive(
    state: State<Server>,
    segments: Segments<(String, String)>,
    peer: Peer,
) -> Result<Response, RegistryError> {
    version(state, segments, peer).await
}

/// Fetch a version as a ZIP, for clients that read no other archives
#[utoipa::path(get, path = "/skills/{name}/{version}/archive.zip", tag = "skills",
    params(("name" = String, Path, description = "the skill"),
        ("version" = String, Path, description = "the version")),
    responses((status = 200, body = Vec<u8>, content_type = "application/zip")))]
pub(crate) async fn zip(
    State(server): State<Server>,
    Segments((name, version)): Segments<(String, String)>,
    peer: Peer,
) -> Result<Response, RegistryError> {
    let name = named(&name)?;
    let version = numbered(&name, &version)?;
    let found = server.registry.version(&name, Some(&version)).await?;
    // Held until it is packed; the semaphore is never closed.
    let _permit = server.opened.acquire().await;
    let archive = server.registry.blobs.read(found.digest).await?;
    let packing = tokio::task::spawn_blocking(move || package::zipped(&archive)).await;
    let zip = packing
        .map_err(RegistryError::internal)?
        .map_err(RegistryError::internal)?;
    server.counter.count(visit(&server, &name, &peer));
    let headers = [
        (header::CONTENT_TYPE, "application/zip"),
        (header::CACHE_CONTROL, FOR_GOOD),
    ];
    Ok((headers, zip).into_response())
}

pub(super) async fn send(
    server: &Server,
    name: &QualifiedName,
    version: Option<&Version>,
    peer: Peer,
    caching: &'static str,
) -> Result<Response, RegistryError> {
    let found = server.release(name, version).await?;
    let body = match server.short_archive(&found).await? {
        Some(bytes) => Body::from(bytes),
        None => Body::from_stream(server.registry.blobs.get(found.digest).await?.into_stream()),
    };
    server.counter.count(visit(server, name, &peer));
    let mut response = body.into_response();
    let file = format!(
        "attachment; filename=\"{}-{}.tar.gz\"",
        ascii(name),
        found.version
    );
    let headers = [
        (header::CONTENT_TYPE, "application/gzip".to_owned()),
        (header::CONTENT_LENGTH, found.size.to_string()),
        (header::CONTENT_DISPOSITION, file),
        (header::CACHE_CONTROL, caching.to_owned()),
        (header::ETAG, format!("\"{}\"", found.digest.to_hex())),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (
            HeaderName::from_static("x-skillyard-version"),
            found.version.to_string(),
        ),
        (
            HeaderName::from_static("x-skillyard-digest"),
            found.digest.to_string(),
        ),
    ];
    for (name, value) in headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(name, value);
        }
    }
    Ok(response)
}

/// A name as a header can hold it.
fn ascii(name: &QualifiedName) -> String {
    let plain = |c: char| if c.is_ascii() { c } else { '_' };
    name.name().as_str().chars().map(plain).collect()
}

/// A visit, without the address that it came from: whoever has a token counts as one wherever
/// they are, everybody else by their address.
fn visit(server: &Server, name: &QualifiedName, peer: &Peer) -> Download {
    let day = server.registry.now().to_string()[..10].to_owned();
    let who = match (&peer.account, peer.address) {
        (Some(account), _) => format!("account {account}"),
        (None, Some(address)) => address.to_string(),
        (None, None) => "unknown".to_owned(),
    };
    let visitor = Digest::of(format!("{day} {who}").as_bytes()).to_hex();
    Download {
        skill: name.to_string(),
        visitor: visitor[..16].to_owned(),
        day,
    }
}

//! `GET /skills/{name}/download` and `GET /skills/{name}/{version}/download`.

use std::fmt::Write as _;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use bytes::BytesMut;
use semver::Version;
use skillyard_format::QualifiedName;

use super::{named, numbered};
use crate::counter::Visit;
use crate::error::RegistryError;
use crate::extract::Peer;
use crate::extract::Segments;
use crate::package;
use crate::server::Server;
use crate::skill_index::Release;

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
    // It is made of what the digest is of.
    let tag = format!("\"{}-zip\"", found.digest.to_hex());
    if peer.takes(&tag) {
        server.counter.count(&visit(&server, &name, &peer));
    }
    let headers = [
        (header::CONTENT_TYPE, "application/zip"),
        (header::CACHE_CONTROL, FOR_GOOD),
        (header::ETAG, tag.as_str()),
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
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    let fixed = |text| HeaderValue::from_static(text);
    headers.insert(header::CONTENT_TYPE, fixed("application/gzip"));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(found.size));
    headers.insert(header::CACHE_CONTROL, fixed(caching));
    for (header, value) in told(name, &found) {
        headers.insert(header, value);
    }
    let tag = headers.get(header::ETAG).and_then(|tag| tag.to_str().ok());
    if tag.is_some_and(|tag| peer.takes(tag)) {
        server.counter.count(&visit(server, name, &peer));
    }
    Ok(response)
}

/// What headers say about an archive. Their values share one piece of memory: this is done for
/// every download.
fn told(name: &QualifiedName, found: &Release) -> Vec<(HeaderName, HeaderValue)> {
    const ROOM: usize = 384;
    let mut text = BytesMut::with_capacity(ROOM);
    let mut ends = [0; 4];
    // Memory can always be written to. A header holds no other letters than these.
    let plain = |c: char| if c.is_ascii() { c } else { '_' };
    let _ = text.write_str("attachment; filename=\"");
    text.extend(name.name().as_str().chars().map(|c| plain(c) as u8));
    let _ = write!(text, "-{}.tar.gz\"", found.version);
    ends[0] = text.len();
    let _ = write!(text, "\"{}\"", found.digest.to_hex());
    ends[1] = text.len();
    let _ = write!(text, "{}", found.version);
    ends[2] = text.len();
    let _ = write!(text, "{}", found.digest);
    ends[3] = text.len();
    let text = text.freeze();
    let names = [
        header::CONTENT_DISPOSITION,
        header::ETAG,
        HeaderName::from_static("x-skillyard-version"),
        HeaderName::from_static("x-skillyard-digest"),
    ];
    let mut begin = 0;
    let mut headers = Vec::with_capacity(names.len());
    for (name, end) in names.into_iter().zip(ends) {
        if let Ok(value) = HeaderValue::from_maybe_shared(text.slice(begin..end)) {
            headers.push((name, value));
        }
        begin = end;
    }
    headers
}

fn visit<'a>(server: &Server, name: &'a QualifiedName, peer: &'a Peer) -> Visit<'a> {
    Visit {
        skill: name.as_str(),
        now: server.registry.now(),
        account: peer.account.as_deref(),
        address: peer.address,
    }
}

//! The discovery documents: 0.2.0 with archives, 0.1.0 with single files.

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use serde_json::json;
use skillyard_format::Namespace;

use super::{json_response, named, namespaced};
use crate::error::RegistryError;
use crate::package;
use crate::search::{DocumentKind, Picture};
use crate::segments::Segments;
use crate::server::Server;
use crate::store::skills::SkillRow;

/// The format of the document with archives.
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

pub(crate) async fn archives(State(server): State<Server>) -> Result<Response, RegistryError> {
    let picture = server.registry.picture().await?;
    Ok(json_response(archives_document(&picture, None)))
}

pub(crate) async fn archives_in(
    State(server): State<Server>,
    Segments(namespace): Segments<String>,
) -> Result<Response, RegistryError> {
    let namespace = prefixed(&namespace)?;
    let picture = server.registry.picture().await?;
    let namespace = Some(namespace.as_str());
    Ok(json_response(archives_document(&picture, namespace)))
}

pub(crate) async fn files(State(server): State<Server>) -> Result<Response, RegistryError> {
    let picture = server.registry.picture().await?;
    Ok(json_response(files_document(&picture, None)))
}

pub(crate) async fn files_in(
    State(server): State<Server>,
    Segments(namespace): Segments<String>,
) -> Result<Response, RegistryError> {
    let namespace = prefixed(&namespace)?;
    let picture = server.registry.picture().await?;
    let namespace = Some(namespace.as_str());
    Ok(json_response(files_document(&picture, namespace)))
}

/// A namespace with its `@`, which is what makes it one at the start of an address.
pub(super) fn prefixed(text: &str) -> Result<Namespace, RegistryError> {
    if text.starts_with('@') {
        namespaced(text)
    } else {
        Err(RegistryError::NoRoute)
    }
}

/// Discovery with archives: the bare names, or those in a namespace.
pub(crate) fn archives_document(picture: &Picture, namespace: Option<&str>) -> Bytes {
    let entry = |skill: &SkillRow| {
        json!({
            "name": skill.own_name(),
            "type": "archive",
            "description": skill.latest.facts.description,
            "url": format!("/skills/{}/{}/archive.tar.gz", skill.name, skill.latest.version),
            "digest": skill.latest.digest,
            "version": skill.latest.version,
        })
    };
    let frame = |skills| json!({ "$schema": SCHEMA, "skills": skills });
    picture.document(DocumentKind::Archives, namespace, entry, frame)
}

/// Discovery with files: the bare names, or those in a namespace.
pub(crate) fn files_document(picture: &Picture, namespace: Option<&str>) -> Bytes {
    let entry = |skill: &SkillRow| {
        let files = skill.latest.facts.files.iter().map(|file| &file.path);
        json!({
            "name": skill.own_name(),
            "description": skill.latest.facts.description,
            "files": files.collect::<Vec<_>>(),
        })
    };
    let frame = |skills| json!({ "skills": skills });
    picture.document(DocumentKind::Files, namespace, entry, frame)
}

pub(crate) async fn file_in(
    server: State<Server>,
    Segments((namespace, name, path)): Segments<(String, String, String)>,
) -> Result<Response, RegistryError> {
    let namespace = prefixed(&namespace)?;
    file(server, Segments((format!("{namespace}/{name}"), path))).await
}

pub(crate) async fn file(
    State(server): State<Server>,
    Segments((name, path)): Segments<(String, String)>,
) -> Result<Response, RegistryError> {
    let name = named(&name)?;
    let found = server.registry.version(&name, None).await?;
    let missing = || RegistryError::NoFile {
        skill: name.to_string(),
        path: path.chars().take(200).collect(),
    };
    // Only what the version lists is looked for in its archive.
    if !found.facts.files.iter().any(|file| file.path == path) {
        return Err(missing());
    }
    let archive = server.registry.blobs.read(found.digest).await?;
    let wanted = path.clone();
    let read = tokio::task::spawn_blocking(move || package::file(&archive, &wanted)).await;
    let read = read.map_err(RegistryError::internal)?;
    let bytes = read.map_err(RegistryError::internal)?.ok_or_else(missing)?;
    let mut response = bytes.into_response();
    // Whatever it is, no browser is to run it.
    let kind = HeaderValue::from_static("application/octet-stream");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(response)
}

//! The discovery documents: 0.2.0 with archives, 0.1.0 with single files.

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use serde::Serialize;
use serde_json::{Value, json};
use skillyard_format::{Digest, Namespace};
use utoipa::ToSchema;

use super::{json_response, named, namespaced};
use crate::error::RegistryError;
use crate::package;
use crate::search::{DocumentKind, Picture};
use crate::segments::Segments;
use crate::server::Server;
use crate::store::skills::SkillRow;

/// The format of the document with archives.
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// The skills of a site, as discovery 0.2.0 has them.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ArchiveIndex {
    /// Which format this is.
    #[serde(rename = "$schema")]
    schema: &'static str,
    /// The skills.
    #[schema(value_type = Vec<ArchiveEntry>)]
    skills: Vec<Value>,
}

/// A skill as an archive.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ArchiveEntry<'a> {
    /// Its name.
    name: &'a str,
    /// `archive`.
    r#type: &'static str,
    /// What it does and when to use it.
    description: &'a str,
    /// Where the archive is.
    url: String,
    /// The digest of the archive.
    #[schema(value_type = String)]
    digest: Digest,
    /// The version.
    version: String,
}

/// The skills of a site, as discovery 0.1.0 has them.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FileIndex {
    /// The skills.
    #[schema(value_type = Vec<FileEntry>)]
    skills: Vec<Value>,
}

/// A skill as single files.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FileEntry<'a> {
    /// Its name.
    name: &'a str,
    /// What it does and when to use it.
    description: &'a str,
    /// Its files.
    files: Vec<&'a str>,
}

/// List all skills as archives, for clients of discovery 0.2.0
#[utoipa::path(get, path = "/.well-known/agent-skills/index.json", tag = "discovery",
    responses((status = 200, body = ArchiveIndex)))]
pub(crate) async fn archives(State(server): State<Server>) -> Result<Response, RegistryError> {
    let picture = server.registry.picture().await?;
    let document = archives_document(&picture, None);
    Ok(json_response(document, &picture.tag()))
}

/// The same for the skills of a namespace
#[utoipa::path(get, path = "/{namespace}/.well-known/agent-skills/index.json", tag = "discovery",
    params(("namespace" = String, Path, description = "the namespace, with its `@`")),
    responses((status = 200, body = ArchiveIndex)))]
pub(crate) async fn archives_in(
    State(server): State<Server>,
    Segments(namespace): Segments<String>,
) -> Result<Response, RegistryError> {
    let namespace = prefixed(&namespace)?;
    let picture = server.registry.picture().await?;
    let document = archives_document(&picture, Some(namespace.as_str()));
    Ok(json_response(document, &picture.tag()))
}

/// List all skills with their files, for clients of discovery 0.1.0
#[utoipa::path(get, path = "/.well-known/skills/index.json", tag = "discovery",
    responses((status = 200, body = FileIndex)))]
pub(crate) async fn files(State(server): State<Server>) -> Result<Response, RegistryError> {
    let picture = server.registry.picture().await?;
    let document = files_document(&picture, None);
    Ok(json_response(document, &picture.tag()))
}

/// The same for the skills of a namespace
#[utoipa::path(get, path = "/{namespace}/.well-known/skills/index.json", tag = "discovery",
    params(("namespace" = String, Path, description = "the namespace, with its `@`")),
    responses((status = 200, body = FileIndex)))]
pub(crate) async fn files_in(
    State(server): State<Server>,
    Segments(namespace): Segments<String>,
) -> Result<Response, RegistryError> {
    let namespace = prefixed(&namespace)?;
    let picture = server.registry.picture().await?;
    let document = files_document(&picture, Some(namespace.as_str()));
    Ok(json_response(document, &picture.tag()))
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
        json!(ArchiveEntry {
            name: skill.own_name(),
            r#type: "archive",
            description: &skill.latest.facts.description,
            url: format!(
                "/skills/{}/{}/archive.tar.gz",
                skill.name, skill.latest.version
            ),
            digest: skill.latest.digest,
            version: skill.latest.version.to_string(),
        })
    };
    let frame = |skills| {
        json!(ArchiveIndex {
            schema: SCHEMA,
            skills
        })
    };
    picture.document(DocumentKind::Archives, namespace, entry, frame)
}

/// Discovery with files: the bare names, or those in a namespace.
pub(crate) fn files_document(picture: &Picture, namespace: Option<&str>) -> Bytes {
    let entry = |skill: &SkillRow| {
        let files = skill.latest.facts.files.iter();
        json!(FileEntry {
            name: skill.own_name(),
            description: &skill.latest.facts.description,
            files: files.map(|file| file.path.as_str()).collect(),
        })
    };
    let frame = |skills| json!(FileIndex { skills });
    picture.document(DocumentKind::Files, namespace, entry, frame)
}

/// The same for a skill of a namespace
#[utoipa::path(get, path = "/{namespace}/.well-known/skills/{name}/{path}", tag = "discovery",
    params(("namespace" = String, Path, description = "the namespace, with its `@`"),
        ("name" = String, Path, description = "the skill"),
        ("path" = String, Path, description = "the file")),
    responses((status = 200, body = Vec<u8>, content_type = "application/octet-stream")))]
pub(crate) async fn file_in(
    server: State<Server>,
    Segments((namespace, name, path)): Segments<(String, String, String)>,
) -> Result<Response, RegistryError> {
    let namespace = prefixed(&namespace)?;
    file(server, Segments((format!("{namespace}/{name}"), path))).await
}

/// Read one file of a skill, for clients of discovery 0.1.0
#[utoipa::path(get, path = "/.well-known/skills/{name}/{path}", tag = "discovery",
    params(("name" = String, Path, description = "the skill"),
        ("path" = String, Path, description = "the file")),
    responses((status = 200, body = Vec<u8>, content_type = "application/octet-stream")))]
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

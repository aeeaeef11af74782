//! The discovery documents: 0.2.0 with archives, 0.1.0 with single files.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use skillyard_format::{Digest, Namespace};
use utoipa::ToSchema;

use super::{named, namespaced};
use crate::documents::DocumentKind;
use crate::error::RegistryError;
use crate::extract::PublicUrl;
use crate::extract::Segments;
use crate::package;
use crate::server::Server;
use crate::store::skills::SkillRow;

/// The format of the document with archives.
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// The skills of a site, as discovery 0.2.0 has them.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ArchiveIndex<'a> {
    /// Which format this is.
    #[serde(rename = "$schema")]
    schema: &'static str,
    /// The skills, the last field of all.
    skills: Vec<ArchiveEntry<'a>>,
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
pub(crate) struct FileIndex<'a> {
    /// The skills, the last field of all.
    skills: Vec<FileEntry<'a>>,
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
pub(crate) async fn archives(
    State(server): State<Server>,
    reached: PublicUrl,
) -> Result<Response, RegistryError> {
    server
        .document(DocumentKind::Archives.of(None), reached)
        .await
}

/// The same for the skills of a namespace
#[utoipa::path(get, path = "/{namespace}/.well-known/agent-skills/index.json", tag = "discovery",
    params(("namespace" = String, Path, description = "the namespace, with its `@`")),
    responses((status = 200, body = ArchiveIndex)))]
pub(crate) async fn archives_in(
    State(server): State<Server>,
    reached: PublicUrl,
    Segments(namespace): Segments<String>,
) -> Result<Response, RegistryError> {
    let namespace = prefixed(&namespace)?;
    server
        .document(DocumentKind::Archives.of(Some(&namespace)), reached)
        .await
}

/// List all skills with their files, for clients of discovery 0.1.0
#[utoipa::path(get, path = "/.well-known/skills/index.json", tag = "discovery",
    responses((status = 200, body = FileIndex)))]
pub(crate) async fn files(
    State(server): State<Server>,
    reached: PublicUrl,
) -> Result<Response, RegistryError> {
    server.document(DocumentKind::Files.of(None), reached).await
}

/// The same for the skills of a namespace
#[utoipa::path(get, path = "/{namespace}/.well-known/skills/index.json", tag = "discovery",
    params(("namespace" = String, Path, description = "the namespace, with its `@`")),
    responses((status = 200, body = FileIndex)))]
pub(crate) async fn files_in(
    State(server): State<Server>,
    reached: PublicUrl,
    Segments(namespace): Segments<String>,
) -> Result<Response, RegistryError> {
    let namespace = prefixed(&namespace)?;
    server
        .document(DocumentKind::Files.of(Some(&namespace)), reached)
        .await
}

/// A namespace with its `@`, which is what makes it one at the start of an address.
pub(super) fn prefixed(text: &str) -> Result<Namespace, RegistryError> {
    if text.starts_with('@') {
        namespaced(text)
    } else {
        Err(RegistryError::NoRoute)
    }
}

/// Discovery with archives, without any yet.
pub(crate) fn archive_index() -> ArchiveIndex<'static> {
    ArchiveIndex {
        schema: SCHEMA,
        skills: Vec::new(),
    }
}

/// A skill in discovery with archives, of a registry whose paths begin so.
pub(crate) fn archive_entry<'a>(skill: &'a SkillRow, below: &str) -> ArchiveEntry<'a> {
    let latest = &skill.latest;
    ArchiveEntry {
        name: skill.own_name(),
        r#type: "archive",
        description: &latest.facts.description,
        url: format!(
            "{below}/skills/{}/{}/archive.tar.gz",
            skill.name, latest.version
        ),
        digest: latest.digest,
        version: latest.version.to_string(),
    }
}

/// Discovery with files, without any yet.
pub(crate) fn file_index() -> FileIndex<'static> {
    FileIndex { skills: Vec::new() }
}

/// A skill in discovery with files.
pub(crate) fn file_entry(skill: &SkillRow) -> FileEntry<'_> {
    let files = skill.latest.facts.files.iter();
    FileEntry {
        name: skill.own_name(),
        description: &skill.latest.facts.description,
        files: files.map(|file| file.path.as_str()).collect(),
    }
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
    // Discovery is for what is new, and nothing new chooses what was withdrawn.
    if found.yanked.is_some() {
        return Err(RegistryError::Withdrawn(name.to_string()));
    }
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
    let read = move || {
        let read = package::file(&archive, &wanted).map_err(RegistryError::internal)?;
        Ok(read.map(|bytes| (format!("\"{}\"", Digest::of(&bytes).to_hex()), bytes)))
    };
    let read = tokio::task::spawn_blocking(read).await;
    let read: Result<_, RegistryError> = read.map_err(RegistryError::internal)?;
    let (tag, bytes) = read?.ok_or_else(missing)?;
    let headers = [
        // Whatever it is, no browser is to run it.
        (header::CONTENT_TYPE, "application/octet-stream"),
        (header::ETAG, tag.as_str()),
    ];
    Ok((headers, bytes).into_response())
}

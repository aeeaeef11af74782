//! The discovery documents: 0.2.0 with archives, 0.1.0 with single files.

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use serde_json::{Value, json};
use skillyard_format::Digest;
use utoipa::ToSchema;

use super::{json_response, named};
use crate::error::RegistryError;
use crate::package;
use crate::search::DocumentKind;
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
    let entry = |skill: &SkillRow| {
        json!(ArchiveEntry {
            name: &skill.name,
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
    let picture = server
        .registry
        .search
        .picture(&server.registry.database)
        .await?;
    let document = picture.document(DocumentKind::Archives, entry, frame);
    Ok(json_response(document, &picture.tag()))
}

/// List all skills with their files, for clients of discovery 0.1.0
#[utoipa::path(get, path = "/.well-known/skills/index.json", tag = "discovery",
    responses((status = 200, body = FileIndex)))]
pub(crate) async fn files(State(server): State<Server>) -> Result<Response, RegistryError> {
    let entry = |skill: &SkillRow| {
        let files = skill.latest.facts.files.iter();
        json!(FileEntry {
            name: &skill.name,
            description: &skill.latest.facts.description,
            files: files.map(|file| file.path.as_str()).collect(),
        })
    };
    let frame = |skills| json!(FileIndex { skills });
    let picture = server
        .registry
        .search
        .picture(&server.registry.database)
        .await?;
    let document = picture.document(DocumentKind::Files, entry, frame);
    Ok(json_response(document, &picture.tag()))
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

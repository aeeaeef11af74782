//! The discovery documents: 0.2.0 with archives, 0.1.0 with single files.

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

use super::{json_response, named};
use crate::error::RegistryError;
use crate::package;
use crate::search::DocumentKind;
use crate::segments::Segments;
use crate::server::Server;
use crate::store::skills::SkillRow;

/// The format of the document with archives.
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

pub(crate) async fn archives(State(server): State<Server>) -> Result<Response, RegistryError> {
    let entry = |skill: &SkillRow| {
        json!({
            "name": skill.name,
            "type": "archive",
            "description": skill.latest.facts.description,
            "url": format!("/skills/{}/{}/archive.tar.gz", skill.name, skill.latest.version),
            "digest": skill.latest.digest,
            "version": skill.latest.version,
        })
    };
    let frame = |skills| json!({ "$schema": SCHEMA, "skills": skills });
    let picture = server
        .registry
        .search
        .picture(&server.registry.database)
        .await?;
    Ok(json_response(picture.document(
        DocumentKind::Archives,
        entry,
        frame,
    )))
}

pub(crate) async fn files(State(server): State<Server>) -> Result<Response, RegistryError> {
    let entry = |skill: &SkillRow| {
        let files = skill.latest.facts.files.iter().map(|file| &file.path);
        json!({
            "name": skill.name,
            "description": skill.latest.facts.description,
            "files": files.collect::<Vec<_>>(),
        })
    };
    let frame = |skills| json!({ "skills": skills });
    let picture = server
        .registry
        .search
        .picture(&server.registry.database)
        .await?;
    Ok(json_response(picture.document(
        DocumentKind::Files,
        entry,
        frame,
    )))
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

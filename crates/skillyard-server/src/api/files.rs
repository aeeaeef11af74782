//! `/api/v1/skills/{name}/files`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};
use skillyard_catalog::resource::{BinaryContent, ReadRange, ResourceContent};
use utoipa::{IntoParams, ToSchema};

use super::input::{Caller, PathInput, QueryInput};
use super::openapi::{Altered, Missing, Senseless};
use crate::contents::{Contents, media_type};
use crate::problem::Problem;
use crate::server::Server;
use crate::web::elsewhere;

/// The files of a skill.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FileListing {
    /// The files that can be read.
    files: Vec<FileEntry>,
    /// What is there too and cannot be read.
    unreadable: Vec<Unreadable>,
    /// Whether there are more than are named.
    truncated: bool,
}

/// One file.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FileEntry {
    /// The path below the skill's folder.
    path: String,
    /// The size in bytes.
    size: u64,
    /// Whether its owner may execute it.
    executable: bool,
}

/// A file that cannot be read.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Unreadable {
    /// The path below the skill's folder.
    path: String,
    /// Why.
    reason: String,
}

/// Which part of a file is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Part {
    /// The byte to start from.
    offset: Option<u64>,
    /// How many bytes at most.
    limit: Option<u64>,
    /// How they are given; `text` where nothing is said.
    encoding: Option<Encoding>,
}

/// How a file is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Encoding {
    /// In `text`, if it is text.
    Text,
    /// In `base64`, whatever it is.
    Base64,
}

/// A part of a file.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FileContent {
    /// The path below the skill's folder.
    path: String,
    /// The size of the whole file.
    size: u64,
    /// Where the part starts.
    offset: u64,
    /// Where to go on, if there is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    /// Its type.
    media_type: String,
    /// The text; nothing when it is no text, or `base64` was asked for.
    text: Option<String>,
    /// The bytes in base64, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

/// List a skill's files
#[utoipa::path(get, path = "/api/v1/skills/{name}/files", tag = "skills", params(("name" = String, Path)),
    responses((status = 200, body = FileListing),
        Senseless, Missing))]
pub(super) async fn list(
    State(server): State<Arc<Server>>,
    PathInput(name): PathInput<String>,
) -> Result<Json<FileListing>, Problem> {
    let listed = elsewhere(move || {
        let snapshot = server.catalog.snapshot();
        let skill = server.meant(&snapshot, &name)?;
        let list = Contents::open(skill)?.list(None)?;
        Ok::<_, Problem>(FileListing {
            files: list
                .files
                .into_iter()
                .map(|file| FileEntry {
                    path: file.path,
                    size: file.size,
                    executable: file.executable,
                })
                .collect(),
            unreadable: list
                .unreadable
                .into_iter()
                .map(|(path, reason)| Unreadable { path, reason })
                .collect(),
            truncated: list.truncated,
        })
    });
    Ok(Json(listed.await??))
}

/// Read a file of a skill, or a part of it
#[utoipa::path(get, path = "/api/v1/skills/{name}/files/{path}", tag = "skills",
    params(("name" = String, Path), ("path" = String, Path), Part),
    responses((status = 200, body = FileContent),
        Senseless, Altered, Missing))]
pub(super) async fn read(
    State(server): State<Arc<Server>>,
    caller: Caller,
    PathInput((name, path)): PathInput<(String, String)>,
    QueryInput(part): QueryInput<Part>,
) -> Result<Json<FileContent>, Problem> {
    let encoding = part.encoding.unwrap_or(Encoding::Text);
    let read = elsewhere(move || {
        let snapshot = server.catalog.snapshot();
        let binary = match encoding {
            Encoding::Text => BinaryContent::Describe,
            Encoding::Base64 => BinaryContent::Include,
        };
        let range = ReadRange {
            offset: part.offset.unwrap_or_default(),
            limit: part.limit,
        };
        let asker = caller.request_context();
        let skill = server.meant(&snapshot, &name)?;
        Ok::<_, Problem>(server.read_file(skill, &path, range, binary, asker)?)
    });
    let read = read.await??;
    Ok(Json(FileContent {
        media_type: media_type(&read.path, &read.content).into_owned(),
        path: read.path,
        size: read.size,
        offset: read.offset,
        next_offset: read.next_offset,
        base64: (encoding == Encoding::Base64).then(|| match &read.content {
            ResourceContent::Text(text) => BASE64_STANDARD.encode(text),
            ResourceContent::Binary { bytes, .. } => {
                BASE64_STANDARD.encode(bytes.as_deref().unwrap_or_default())
            }
        }),
        text: match read.content {
            ResourceContent::Text(text) if encoding == Encoding::Text => Some(text),
            _ => None,
        },
    }))
}

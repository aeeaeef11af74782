//! `GET /index/…`: one small file per skill, a line per version. `GET /changes`: which skills changed.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderValue, header};
use axum::response::IntoResponse as _;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use skillyard_format::{QualifiedName, SkillName};
use utoipa::{IntoParams, ToSchema};

use super::namespaced;
use crate::error::RegistryError;
use crate::extract::Segments;
use crate::server::Server;
use crate::skill_index::IndexLine;
use crate::store::skills;

/// Read the index of one skill: a line of JSON per version
#[utoipa::path(get, path = "/index/{path}", tag = "index",
    params(("path" = String, Path, description = "where the skill is, as `pd/f-/pdf-tools`")),
    responses((status = 200, body = IndexLine, content_type = "application/x-ndjson")))]
pub(crate) async fn index(
    State(server): State<Server>,
    Segments(path): Segments<String>,
) -> Result<Response, RegistryError> {
    let name = at(&path)?;
    let entry = server.index_entry(&name).await?;
    let mut response = entry.text.clone().into_response();
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/x-ndjson"),
    );
    // Short, because a yank must reach all clients soon; asking again costs a line.
    let caching = HeaderValue::from_static("public, max-age=0, must-revalidate");
    headers.insert(header::CACHE_CONTROL, caching);
    headers.insert(header::ETAG, entry.tag.clone());
    Ok(response)
}

/// The skill whose file is at a path below `/index/`.
fn at(path: &str) -> Result<QualifiedName, RegistryError> {
    let missing = || RegistryError::NoSkill(path.chars().take(104).collect());
    let (first, rest) = path.split_once('/').unwrap_or(("", path));
    let name = rest.rsplit('/').next().unwrap_or_default();
    let name = SkillName::new(name).map_err(|_| missing())?;
    let namespace = match first.strip_prefix('@') {
        Some(namespace) => Some(namespaced(namespace)?),
        None => None,
    };
    let name = QualifiedName::new(namespace, name);
    if name.index_path().join("/") == path {
        Ok(name)
    } else {
        Err(missing())
    }
}

/// The most skills in one answer.
const MAX_CHANGES: i64 = 1000;

/// Which changes.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangesQuery {
    /// The number of the last change that is known.
    since: i64,
    /// How many; at most 1000.
    limit: Option<i64>,
}

/// What changed.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Changes {
    /// The skills, the earliest change first.
    skills: Vec<ChangedSkill>,
    /// The number of the last change of all. Who knows a higher one knows changes that are undone,
    /// and begins with 0 again.
    last: i64,
}

/// A skill that changed.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChangedSkill {
    /// The skill.
    name: String,
    /// The number of its last change.
    sequence: i64,
}

/// List the skills that changed, to keep a copy
#[utoipa::path(get, path = "/changes", tag = "index", params(ChangesQuery),
    responses((status = 200, body = Changes)))]
pub(crate) async fn changes(
    State(server): State<Server>,
    parameters: Result<Query<ChangesQuery>, QueryRejection>,
) -> Result<Json<Changes>, RegistryError> {
    let wrong = |_| RegistryError::Parameter("`since` is the number of a change".to_owned());
    let parameters = parameters.map_err(wrong)?.0;
    let limit = parameters
        .limit
        .unwrap_or(MAX_CHANGES)
        .clamp(1, MAX_CHANGES);
    let database = &server.registry.database;
    let found = skills::changed_after(database, parameters.since, limit).await?;
    // Afterwards, so that no skill has a higher one.
    let last = database.sequence().await?;
    let skills = found.into_iter();
    let skills = skills.map(|(name, sequence)| ChangedSkill { name, sequence });
    Ok(Json(Changes {
        skills: skills.collect(),
        last,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_path_leads_to_a_file() {
        for name in ["a", "ab", "pdf", "pdf-tools", "@acme/a", "@acme/pdf-tools"] {
            let name: QualifiedName = name.parse().unwrap();
            assert_eq!(at(&name.index_path().join("/")).unwrap(), name);
        }
        for path in [
            "",
            "pdf",
            "3/x/pdf",
            "pd/fs/pdf",
            "@acme/pdf",
            "@/3/p/pdf",
            "@a/../3/p/pdf",
        ] {
            assert!(at(path).is_err(), "{path}");
        }
    }
}

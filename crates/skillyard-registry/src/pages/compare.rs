//! `GET /view/{name}/compare`: what changed between two versions.

use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::Response;
use serde::Deserialize;
use skillyard_format::difference::DiffLine;
use utoipa::IntoParams;

use super::Frame;
use super::difference::{FileChange, between};
use super::opened;
use super::{page, skill_address};
use crate::endpoints::{named, numbered};
use crate::error::RegistryError;
use crate::extract::Segments;
use crate::server::Server;
use crate::store::versions;

/// Which two versions.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct CompareQuery {
    /// The older version; without one, the one published before `to`.
    from: Option<String>,
    /// The newer version; without one, the last published.
    to: Option<String>,
}

#[derive(Template)]
#[template(path = "compare.html")]
struct ComparePage {
    frame: Frame,
    name: String,
    address: String,
    versions: Vec<String>,
    from: String,
    to: String,
    changes: Vec<FileChange>,
}

/// Look at what changed between two versions
#[utoipa::path(get, path = "/view/{name}/compare", tag = "pages",
    params(("name" = String, Path, description = "the skill"), CompareQuery),
    responses((status = 200, description = "a page", content_type = "text/html")))]
pub(crate) async fn compare(
    State(server): State<Server>,
    frame: Frame,
    Segments(name): Segments<String>,
    span: Result<Query<CompareQuery>, QueryRejection>,
) -> Result<Response, RegistryError> {
    let name = named(&name)?;
    let wrong = |_| RegistryError::Parameter("`from` and `to` are versions".to_owned());
    let span = span.map_err(wrong)?.0;
    let mut all = versions::of(server.registry.database.pool(), name.as_str()).await?;
    all.reverse();
    if all.is_empty() {
        return Err(RegistryError::NoSkill(name.to_string()));
    }
    let place = |text: &str| {
        let version = numbered(&name, text)?;
        let place = all.iter().position(|each| each.version == version);
        place.ok_or_else(|| RegistryError::NoVersion {
            skill: name.to_string(),
            version: version.to_string(),
        })
    };
    let to = span.to.as_deref().map_or(Ok(0), place)?;
    let before = || Ok((to + 1).min(all.len() - 1));
    let from = span.from.as_deref().map_or_else(before, place)?;
    let (from, to) = (&all[from], &all[to]);
    let changes = opened(
        &server,
        [from, to],
        |_| true,
        |[old, new]| between(&old, &new),
    )
    .await?;
    page(&ComparePage {
        frame,
        address: skill_address(name.as_str()),
        name: name.to_string(),
        versions: all.iter().map(|each| each.version.to_string()).collect(),
        from: from.version.to_string(),
        to: to.version.to_string(),
        changes,
    })
}

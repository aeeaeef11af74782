//! `/skills/{name}/dist-tags`: words that stand for versions.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use serde::{Deserialize, Serialize};
use skillyard_format::QualifiedName;
use utoipa::ToSchema;

use super::{named, numbered};
use crate::error::RegistryError;
use crate::extract::Caller;
use crate::extract::Segments;
use crate::server::Server;
use crate::store::{skills, tags};

/// What a tag is to stand for.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct Tagged {
    /// The version.
    version: String,
}

/// The tags of a skill.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TagList {
    /// The skill.
    name: String,
    /// Each tag with its version.
    dist_tags: BTreeMap<String, String>,
}

/// List the tags of a skill
#[utoipa::path(get, path = "/skills/{name}/dist-tags", tag = "tags",
    params(("name" = String, Path, description = "the skill")),
    responses((status = 200, body = TagList)))]
pub(crate) async fn list(
    State(server): State<Server>,
    Segments(name): Segments<String>,
) -> Result<Json<TagList>, RegistryError> {
    told(&server, &named(&name)?).await
}

/// Let a tag stand for a version
#[utoipa::path(put, path = "/skills/{name}/dist-tags/{tag}", tag = "tags", security(("token" = [])),
    params(("name" = String, Path, description = "the skill"),
        ("tag" = String, Path, description = "the tag")),
    request_body = Tagged, responses((status = 200, body = TagList)))]
pub(crate) async fn put(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments((name, tag)): Segments<(String, String)>,
    body: Result<Json<Tagged>, JsonRejection>,
) -> Result<Json<TagList>, RegistryError> {
    let name = named(&name)?;
    let wrong = |_| RegistryError::Parameter("the body is JSON with a `version`".to_owned());
    let version = numbered(&name, &body.map_err(wrong)?.0.version)?;
    server
        .registry
        .set_tag(&identity, &name, &tag, Some(&version))
        .await?;
    told(&server, &name).await
}

/// Take a tag away
#[utoipa::path(delete, path = "/skills/{name}/dist-tags/{tag}", tag = "tags", security(("token" = [])),
    params(("name" = String, Path, description = "the skill"),
        ("tag" = String, Path, description = "the tag")),
    responses((status = 200, body = TagList)))]
pub(crate) async fn delete(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments((name, tag)): Segments<(String, String)>,
) -> Result<Json<TagList>, RegistryError> {
    let name = named(&name)?;
    server
        .registry
        .set_tag(&identity, &name, &tag, None)
        .await?;
    told(&server, &name).await
}

async fn told(server: &Server, name: &QualifiedName) -> Result<Json<TagList>, RegistryError> {
    let database = &server.registry.database;
    if skills::one(database.pool(), name.as_str()).await?.is_none() {
        return Err(RegistryError::NoSkill(name.to_string()));
    }
    Ok(Json(TagList {
        name: name.to_string(),
        dist_tags: tags::offered(database.pool(), name.as_str()).await?,
    }))
}

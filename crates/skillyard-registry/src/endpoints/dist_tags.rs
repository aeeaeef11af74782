//! `/skills/{name}/dist-tags`: words that stand for versions.

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use skillyard_format::QualifiedName;

use super::{named, numbered};
use crate::auth::Caller;
use crate::error::RegistryError;
use crate::segments::Segments;
use crate::server::Server;
use crate::store::{skills, tags};

#[derive(Debug, Deserialize)]
pub(crate) struct Tagged {
    version: String,
}

pub(crate) async fn list(
    State(server): State<Server>,
    Segments(name): Segments<String>,
) -> Result<Json<Value>, RegistryError> {
    told(&server, &named(&name)?).await
}

pub(crate) async fn put(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments((name, tag)): Segments<(String, String)>,
    body: Result<Json<Tagged>, JsonRejection>,
) -> Result<Json<Value>, RegistryError> {
    let name = named(&name)?;
    let wrong = |_| RegistryError::Parameter("the body is JSON with a `version`".to_owned());
    let version = numbered(&name, &body.map_err(wrong)?.0.version)?;
    server
        .registry
        .set_tag(&identity, &name, &tag, Some(&version))
        .await?;
    told(&server, &name).await
}

pub(crate) async fn delete(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments((name, tag)): Segments<(String, String)>,
) -> Result<Json<Value>, RegistryError> {
    let name = named(&name)?;
    server
        .registry
        .set_tag(&identity, &name, &tag, None)
        .await?;
    told(&server, &name).await
}

async fn told(server: &Server, name: &QualifiedName) -> Result<Json<Value>, RegistryError> {
    let database = &server.registry.database;
    let skill = skills::one(database, name.as_str()).await?;
    let skill = skill.ok_or_else(|| RegistryError::NoSkill(name.to_string()))?;
    // There is always a latest one, also where nobody set it.
    let mut all = Map::new();
    all.insert("latest".to_owned(), json!(skill.latest.version));
    for (tag, version) in tags::of(database, name.as_str()).await? {
        if tag != "latest" {
            all.insert(tag, json!(version));
        }
    }
    Ok(Json(json!({ "name": name.as_str(), "dist_tags": all })))
}

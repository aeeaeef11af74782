//! `/log/…`: how long the log is, and proofs.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use serde::Deserialize;
use serde_json::{Value, json};
use skillyard_trust::transparency::SignedCheckpoint;

use super::{named, numbered};
use crate::error::RegistryError;
use crate::segments::Segments;
use crate::server::Server;

pub(crate) async fn checkpoint(
    State(server): State<Server>,
) -> Result<Json<SignedCheckpoint>, RegistryError> {
    // A registry without a key has no log that anybody could check.
    let key = server.log_key.as_ref().ok_or(RegistryError::NoRoute)?;
    let registry = &server.registry;
    let time = crate::store::stored(registry.now());
    let signed = registry
        .log
        .checkpoint(&registry.database, key, time)
        .await?;
    Ok(Json(signed))
}

#[derive(Debug, Deserialize)]
pub(crate) struct Size {
    size: usize,
}

pub(crate) async fn inclusion(
    State(server): State<Server>,
    Segments((name, version)): Segments<(String, String)>,
    size: Result<Query<Size>, QueryRejection>,
) -> Result<Json<Value>, RegistryError> {
    let name = named(&name)?;
    let version = numbered(&name, &version)?.to_string();
    let wrong = || RegistryError::Parameter("`size` is the length of a log with it".to_owned());
    let size = size.map_err(|_| wrong())?.0.size;
    let log = server.registry.log.read(&server.registry.database).await?;
    let place = log.place(name.as_str(), &version);
    let place = place.ok_or_else(|| RegistryError::NoVersion {
        skill: name.to_string(),
        version,
    })?;
    let proof = log.tree.inclusion(place, size).ok_or_else(wrong)?;
    Ok(Json(json!({ "index": place, "proof": proof })))
}

#[derive(Debug, Deserialize)]
pub(crate) struct Span {
    from: usize,
    to: usize,
}

pub(crate) async fn consistency(
    State(server): State<Server>,
    span: Result<Query<Span>, QueryRejection>,
) -> Result<Json<Value>, RegistryError> {
    let wrong = || RegistryError::Parameter("`from` and `to` are lengths of the log".to_owned());
    let Span { from, to } = span.map_err(|_| wrong())?.0;
    let log = server.registry.log.read(&server.registry.database).await?;
    let proof = log.tree.consistency(from, to).ok_or_else(wrong)?;
    Ok(Json(json!({ "proof": proof })))
}

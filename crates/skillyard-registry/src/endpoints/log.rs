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
use crate::store::{checkpoints, upstream, versions};

pub(crate) async fn checkpoint(
    State(server): State<Server>,
) -> Result<Json<SignedCheckpoint>, RegistryError> {
    let registry = &server.registry;
    // A mirror has no say of its own: it repeats what the registry behind it signed.
    if upstream::find(&registry.database).await?.is_some() {
        let last = checkpoints::last(&registry.database).await?;
        return last.map(Json).ok_or(RegistryError::NoRoute);
    }
    // A registry without a key has no log that anybody could check.
    let key = server.log_key.as_ref().ok_or(RegistryError::NoRoute)?;
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

/// The most entries in one answer.
const MOST: i64 = 1000;

#[derive(Debug, Deserialize)]
pub(crate) struct Part {
    from: i64,
    limit: Option<i64>,
}

/// Entries in the order of the log, for those who keep all of it.
pub(crate) async fn entries(
    State(server): State<Server>,
    part: Result<Query<Part>, QueryRejection>,
) -> Result<Json<Value>, RegistryError> {
    let wrong = || RegistryError::Parameter("`from` is a place in the log".to_owned());
    let part = part.map_err(|_| wrong())?.0;
    if part.from < 0 {
        return Err(wrong());
    }
    let limit = part.limit.unwrap_or(MOST).clamp(1, MOST);
    let rows = versions::logged_from(&server.registry.database, part.from, limit).await?;
    let entries: Vec<Value> = (part.from..)
        .zip(&rows)
        .map(|(index, row)| {
            json!({
                "index": index,
                "name": row.skill,
                "version": row.version,
                "digest": row.digest,
                "signer": row.signer,
            })
        })
        .collect();
    Ok(Json(json!({ "entries": entries })))
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
    proven(&server, span.ok().map(|span| span.0)).await
}

/// The same as a path, which a host of plain files can have, too.
pub(crate) async fn consistency_path(
    State(server): State<Server>,
    Segments((from, to)): Segments<(String, String)>,
) -> Result<Json<Value>, RegistryError> {
    let span = from.parse().ok().zip(to.parse().ok());
    proven(&server, span.map(|(from, to)| Span { from, to })).await
}

async fn proven(server: &Server, span: Option<Span>) -> Result<Json<Value>, RegistryError> {
    let wrong = || RegistryError::Parameter("`from` and `to` are lengths of the log".to_owned());
    let Span { from, to } = span.ok_or_else(wrong)?;
    let log = server.registry.log.read(&server.registry.database).await?;
    let proof = log.tree.consistency(from, to).ok_or_else(wrong)?;
    Ok(Json(json!({ "proof": proof })))
}

//! `/log/…`: how long the log is, and proofs.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};
use skillyard_format::Digest;
use skillyard_trust::transparency::SignedCheckpoint;
use utoipa::{IntoParams, ToSchema};

use super::{named, numbered};
use crate::error::RegistryError;
use crate::extract::Segments;
use crate::registry::no_version;
use crate::server::Server;
use crate::store::{checkpoints, logged, upstream};

/// How long the log is, signed.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CheckpointAnswer {
    /// How many versions it has.
    size: u64,
    /// The root of its tree.
    #[schema(value_type = String)]
    root: Digest,
    /// When this was said.
    time: String,
    /// The registry's public key, in PEM form.
    key: String,
    /// The signature, in hex.
    signature: String,
}

/// Say how long the log is, signed
#[utoipa::path(get, path = "/log/checkpoint", tag = "log",
    responses((status = 200, body = CheckpointAnswer)))]
pub(crate) async fn checkpoint(
    State(server): State<Server>,
) -> Result<Json<CheckpointAnswer>, RegistryError> {
    let registry = &server.registry;
    // A mirror has no say of its own: it repeats what the registry behind it signed.
    if upstream::find(&registry.database).await?.is_some() {
        let last = checkpoints::last(&registry.database).await?;
        return last.map(told).ok_or(RegistryError::NoRoute);
    }
    // A registry without a key has no log that anybody could check.
    let key = server.log_key.as_ref().ok_or(RegistryError::NoRoute)?;
    let time = crate::store::stored(registry.now());
    let signed = registry
        .log
        .checkpoint(&registry.database, key, time)
        .await?;
    Ok(told(signed))
}

fn told(signed: SignedCheckpoint) -> Json<CheckpointAnswer> {
    Json(CheckpointAnswer {
        size: signed.checkpoint.size,
        root: signed.checkpoint.root,
        time: signed.checkpoint.time,
        key: signed.key,
        signature: signed.signature,
    })
}

/// In which log.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Size {
    /// The length of a log that has the version.
    size: usize,
}

/// Where a version stands in the log.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Inclusion {
    /// Its place, from 0.
    index: usize,
    /// What proves it, as RFC 9162 has it.
    #[schema(value_type = Vec<String>)]
    proof: Vec<Digest>,
}

/// Prove that a version is in the log
#[utoipa::path(get, path = "/log/entries/{name}/{version}", tag = "log",
    params(("name" = String, Path, description = "the skill"),
        ("version" = String, Path, description = "the version"), Size),
    responses((status = 200, body = Inclusion)))]

pub(crate) async fn inclusion(
    State(server): State<Server>,
    Segments((name, version)): Segments<(String, String)>,
    size: Result<Query<Size>, QueryRejection>,
) -> Result<Json<Inclusion>, RegistryError> {
    let name = named(&name)?;
    let version = numbered(&name, &version)?;
    let wrong = || RegistryError::Parameter("`size` is the length of a log with it".to_owned());
    let size = size.map_err(|_| wrong())?.0.size;
    let published = server.registry.version(&name, Some(&version)).await?;
    let log = server.registry.log.read(&server.registry.database).await?;
    let place = log.place(published.sequence);
    let place = place.ok_or_else(|| no_version(&name, &version))?;
    let proof = log.tree.inclusion(place, size).ok_or_else(wrong)?;
    Ok(Json(Inclusion {
        index: place,
        proof,
    }))
}

/// The most entries in one answer.
const MAX_ENTRIES: i64 = 1000;

/// Which entries.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct EntriesQuery {
    /// The place of the first one, from 0.
    from: i64,
    /// How many; at most 1000.
    limit: Option<i64>,
}

/// A part of the log.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Entries {
    /// Its entries, in order.
    entries: Vec<LogEntry>,
}

/// An entry of the log.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Entry)]
pub(crate) struct LogEntry {
    /// Its place, from 0.
    index: i64,
    /// The skill.
    name: String,
    /// The version.
    version: String,
    /// The digest of its archive.
    #[schema(value_type = String)]
    digest: Digest,
    /// Who signed it.
    signer: Option<String>,
}

/// Read entries in the order of the log, to keep all of it
#[utoipa::path(get, path = "/log/entries", tag = "log", params(EntriesQuery),
    responses((status = 200, body = Entries)))]
pub(crate) async fn entries(
    State(server): State<Server>,
    part: Result<Query<EntriesQuery>, QueryRejection>,
) -> Result<Json<Entries>, RegistryError> {
    let wrong = || RegistryError::Parameter("`from` is a place in the log".to_owned());
    let part = part.map_err(|_| wrong())?.0;
    if part.from < 0 {
        return Err(wrong());
    }
    let limit = part.limit.unwrap_or(MAX_ENTRIES).clamp(1, MAX_ENTRIES);
    let rows = logged::from(&server.registry.database, part.from, limit).await?;
    let entries = (part.from..).zip(rows).map(|(index, row)| LogEntry {
        index,
        name: row.skill,
        version: row.version,
        digest: row.digest,
        signer: row.signer,
    });
    Ok(Json(Entries {
        entries: entries.collect(),
    }))
}

/// Between which lengths.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ConsistencyQuery {
    /// The length that is known.
    from: usize,
    /// The length now.
    to: usize,
}

/// What proves that one log begins with the other.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Consistency {
    /// The proof, as RFC 9162 has it.
    #[schema(value_type = Vec<String>)]
    proof: Vec<Digest>,
}

/// Prove that the log begins with an earlier one
#[utoipa::path(get, path = "/log/consistency", tag = "log", params(ConsistencyQuery),
    responses((status = 200, body = Consistency)))]

pub(crate) async fn consistency(
    State(server): State<Server>,
    span: Result<Query<ConsistencyQuery>, QueryRejection>,
) -> Result<Json<Consistency>, RegistryError> {
    proven(&server, span.ok().map(|span| span.0)).await
}

/// The same as a path, which a host of plain files can have, too
#[utoipa::path(get, path = "/log/consistency/{from}/{to}", tag = "log",
    params(("from" = usize, Path, description = "the length that is known"),
        ("to" = usize, Path, description = "the length now")),
    responses((status = 200, body = Consistency)))]
pub(crate) async fn consistency_path(
    State(server): State<Server>,
    Segments((from, to)): Segments<(String, String)>,
) -> Result<Json<Consistency>, RegistryError> {
    let span = from.parse().ok().zip(to.parse().ok());
    proven(
        &server,
        span.map(|(from, to)| ConsistencyQuery { from, to }),
    )
    .await
}

async fn proven(
    server: &Server,
    span: Option<ConsistencyQuery>,
) -> Result<Json<Consistency>, RegistryError> {
    let wrong = || RegistryError::Parameter("`from` and `to` are lengths of the log".to_owned());
    let ConsistencyQuery { from, to } = span.ok_or_else(wrong)?;
    let log = server.registry.log.read(&server.registry.database).await?;
    let proof = log.tree.consistency(from, to).ok_or_else(wrong)?;
    Ok(Json(Consistency { proof }))
}

//! `DELETE /skills/{name}/{version}` withdraws a version, `POST …/restore` takes that back.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{named, numbered, worded};
use crate::auth::Caller;
use crate::error::RegistryError;
use crate::segments::Segments;
use crate::server::Server;

#[derive(Debug, Deserialize)]
pub(crate) struct Parameters {
    reason: Option<String>,
}

pub(crate) async fn yank(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments((name, version)): Segments<(String, String)>,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Result<Json<Value>, RegistryError> {
    let name = named(&name)?;
    let version = numbered(&name, &version)?;
    let wrong = |_| RegistryError::Parameter("`reason` cannot be read".to_owned());
    let reason = parameters.map_err(wrong)?.0.reason.unwrap_or_default();
    worded("reason", &reason)?;
    let reason = if reason.is_empty() {
        "no reason was given"
    } else {
        &reason
    };
    let row = server
        .registry
        .set_yanked(&identity, &name, &version, Some(reason))
        .await?;
    Ok(Json(json!({
        "name": name.as_str(), "version": row.version, "yanked": true, "reason": row.yanked,
    })))
}

pub(crate) async fn restore(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments((name, version)): Segments<(String, String)>,
) -> Result<Json<Value>, RegistryError> {
    let name = named(&name)?;
    let version = numbered(&name, &version)?;
    let row = server
        .registry
        .set_yanked(&identity, &name, &version, None)
        .await?;
    Ok(Json(
        json!({ "name": name.as_str(), "version": row.version, "yanked": false }),
    ))
}

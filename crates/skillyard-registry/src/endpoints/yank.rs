//! `DELETE /skills/{name}/{version}` withdraws a version, `POST …/restore` takes that back.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{named, numbered};
use crate::auth::Caller;
use crate::error::RegistryError;
use crate::server::Server;

/// The longest reason.
const LONGEST: usize = 500;

#[derive(Debug, Deserialize)]
pub(crate) struct Parameters {
    reason: Option<String>,
}

pub(crate) async fn yank(
    State(server): State<Server>,
    Caller(identity): Caller,
    Path((name, version)): Path<(String, String)>,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Result<Json<Value>, RegistryError> {
    let name = named(&name)?;
    let version = numbered(&name, &version)?;
    let wrong = |_| RegistryError::Parameter("`reason` cannot be read".to_owned());
    let reason = parameters.map_err(wrong)?.0.reason.unwrap_or_default();
    if reason.len() > LONGEST {
        let reason = format!("`reason` has at most {LONGEST} bytes");
        return Err(RegistryError::Parameter(reason));
    }
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
    Path((name, version)): Path<(String, String)>,
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

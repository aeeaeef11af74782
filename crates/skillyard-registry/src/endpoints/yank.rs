//! `DELETE /skills/{name}/{version}` withdraws a version, `POST …/restore` takes that back.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{named, numbered, worded};
use crate::auth::Caller;
use crate::error::RegistryError;
use crate::segments::Segments;
use crate::server::Server;

/// Why a version is withdrawn.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Parameters {
    /// One line for those who have it.
    #[param(max_length = 500)]
    reason: Option<String>,
}

/// Whether a version is withdrawn.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct YankState {
    /// The skill.
    name: String,
    /// The version.
    version: String,
    /// Whether it is withdrawn.
    yanked: bool,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Withdraw a version: nothing new uses it, locks still do
#[utoipa::path(delete, path = "/skills/{name}/{version}", tag = "publishing", security(("token" = [])),
    params(("name" = String, Path, description = "the skill"),
        ("version" = String, Path, description = "the version"), Parameters),
    responses((status = 200, body = YankState)))]
pub(crate) async fn yank(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments((name, version)): Segments<(String, String)>,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Result<Json<YankState>, RegistryError> {
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
    Ok(Json(YankState {
        name: name.to_string(),
        version: row.version.to_string(),
        yanked: true,
        reason: row.yanked,
    }))
}

/// Offer a withdrawn version again
#[utoipa::path(post, path = "/skills/{name}/{version}/restore", tag = "publishing", security(("token" = [])),
    params(("name" = String, Path, description = "the skill"),
        ("version" = String, Path, description = "the version")),
    responses((status = 200, body = YankState)))]
pub(crate) async fn restore(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments((name, version)): Segments<(String, String)>,
) -> Result<Json<YankState>, RegistryError> {
    let name = named(&name)?;
    let version = numbered(&name, &version)?;
    let row = server
        .registry
        .set_yanked(&identity, &name, &version, None)
        .await?;
    Ok(Json(YankState {
        name: name.to_string(),
        version: row.version.to_string(),
        yanked: false,
        reason: None,
    }))
}

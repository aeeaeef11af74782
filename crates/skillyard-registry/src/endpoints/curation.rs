//! Yank and restore versions; deprecate skills.

use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{named, numbered, worded};
use crate::error::RegistryError;
use crate::extract::{Caller, Segments};
use crate::server::Server;

/// Why a version is withdrawn.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct YankQuery {
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
        ("version" = String, Path, description = "the version"), YankQuery),
    responses((status = 200, body = YankState)))]
pub(crate) async fn yank(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments((name, version)): Segments<(String, String)>,
    parameters: Result<Query<YankQuery>, QueryRejection>,
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

/// What is said about a skill that should not be used any more.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct Deprecation {
    /// What to use instead, in one line.
    #[schema(min_length = 1, max_length = 500)]
    message: String,
}

/// What is said now.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeprecationState {
    /// The skill.
    name: String,
    /// What to use instead.
    deprecated: Option<String>,
}

/// Say what to use instead of a skill
#[utoipa::path(put, path = "/skills/{name}/deprecation", tag = "publishing", security(("token" = [])),
    params(("name" = String, Path, description = "the skill")), request_body = Deprecation,
    responses((status = 200, body = DeprecationState)))]
pub(crate) async fn deprecate(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments(name): Segments<String>,
    body: Result<Json<Deprecation>, JsonRejection>,
) -> Result<Json<DeprecationState>, RegistryError> {
    let name = named(&name)?;
    let message = body.map(|body| body.0.message).unwrap_or_default();
    if message.is_empty() {
        let reason = "the body is JSON with a `message`";
        return Err(RegistryError::Parameter(reason.to_owned()));
    }
    worded("message", &message)?;
    server
        .registry
        .set_deprecated(&identity, &name, Some(&message))
        .await?;
    Ok(Json(DeprecationState {
        name: name.to_string(),
        deprecated: Some(message),
    }))
}

/// Take that back
#[utoipa::path(delete, path = "/skills/{name}/deprecation", tag = "publishing", security(("token" = [])),
    params(("name" = String, Path, description = "the skill")),
    responses((status = 200, body = DeprecationState)))]
pub(crate) async fn undeprecate(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments(name): Segments<String>,
) -> Result<Json<DeprecationState>, RegistryError> {
    let name = named(&name)?;
    server
        .registry
        .set_deprecated(&identity, &name, None)
        .await?;
    Ok(Json(DeprecationState {
        name: name.to_string(),
        deprecated: None,
    }))
}

//! `PUT /skills/{name}/deprecation` says what to use instead, `DELETE` takes that back.

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{named, worded};
use crate::auth::Caller;
use crate::error::RegistryError;
use crate::segments::Segments;
use crate::server::Server;

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
pub(crate) async fn put(
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
pub(crate) async fn delete(
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

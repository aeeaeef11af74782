//! `PUT /skills/{name}/deprecation` says what to use instead, `DELETE` takes that back.

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{named, worded};
use crate::auth::Caller;
use crate::error::RegistryError;
use crate::segments::Segments;
use crate::server::Server;

#[derive(Debug, Deserialize)]
pub(crate) struct Deprecation {
    message: String,
}

pub(crate) async fn put(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments(name): Segments<String>,
    body: Result<Json<Deprecation>, JsonRejection>,
) -> Result<Json<Value>, RegistryError> {
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
    Ok(Json(
        json!({ "name": name.as_str(), "deprecated": message }),
    ))
}

pub(crate) async fn delete(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments(name): Segments<String>,
) -> Result<Json<Value>, RegistryError> {
    let name = named(&name)?;
    server
        .registry
        .set_deprecated(&identity, &name, None)
        .await?;
    Ok(Json(json!({ "name": name.as_str(), "deprecated": null })))
}

//! `PUT /skills/{name}/deprecation` says what to use instead, `DELETE` takes that back.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::named;
use crate::auth::Caller;
use crate::error::RegistryError;
use crate::server::Server;

/// The longest message.
const LONGEST: usize = 500;

#[derive(Debug, Deserialize)]
pub(crate) struct Deprecation {
    message: String,
}

pub(crate) async fn put(
    State(server): State<Server>,
    Caller(identity): Caller,
    Path(name): Path<String>,
    body: Result<Json<Deprecation>, JsonRejection>,
) -> Result<Json<Value>, RegistryError> {
    let name = named(&name)?;
    let message = body.map(|body| body.0.message).unwrap_or_default();
    if message.is_empty() || message.len() > LONGEST {
        let reason = format!("`message` is a text of 1 to {LONGEST} bytes");
        return Err(RegistryError::Parameter(reason));
    }
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
    Path(name): Path<String>,
) -> Result<Json<Value>, RegistryError> {
    let name = named(&name)?;
    server
        .registry
        .set_deprecated(&identity, &name, None)
        .await?;
    Ok(Json(json!({ "name": name.as_str(), "deprecated": null })))
}

//! `GET /health`: whether the database answers.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use crate::error::RegistryError;
use crate::server::Server;

pub(crate) async fn health(State(server): State<Server>) -> Result<Json<Value>, RegistryError> {
    let sequence = server.registry.database.sequence().await?;
    Ok(Json(json!({ "status": "ok", "sequence": sequence })))
}

//! `GET /health`: whether the database answers.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::RegistryError;
use crate::server::Server;

/// How the registry is.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok`.
    status: &'static str,
    /// The number of the last change.
    sequence: i64,
}

/// Say whether the database answers
#[utoipa::path(get, path = "/health", tag = "registry", responses((status = 200, body = Health)))]
pub(crate) async fn health(State(server): State<Server>) -> Result<Json<Health>, RegistryError> {
    let sequence = server.registry.database.sequence().await?;
    Ok(Json(Health {
        status: "ok",
        sequence,
    }))
}

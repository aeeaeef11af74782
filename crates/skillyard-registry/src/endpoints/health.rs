//! `GET /health`: whether the database answers.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::database::DatabaseError;
use crate::error::RegistryError;
use crate::server::Server;

/// How long the database may take: whoever asks, such as a load balancer, does not wait long.
const PATIENCE: Duration = Duration::from_secs(2);

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
    let sequence = timeout(PATIENCE, server.registry.database.sequence())
        .await
        .map_err(|_| DatabaseError::Late(PATIENCE))??;
    Ok(Json(Health {
        status: "ok",
        sequence,
    }))
}

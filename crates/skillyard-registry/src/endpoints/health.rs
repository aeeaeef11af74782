//! `GET /health`: whether the database answers. `GET /ready`: whether the registry can store uploads.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::database::DatabaseError;
use crate::error::RegistryError;
use crate::server::Server;

/// How long the database may take: load balancers do not wait long.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(2);

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
    let sequence = timeout(DATABASE_TIMEOUT, server.registry.database.sequence())
        .await
        .map_err(|_| DatabaseError::Late(DATABASE_TIMEOUT))??;
    Ok(Json(Health {
        status: "ok",
        sequence,
    }))
}

/// What the registry can write to.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Readiness {
    /// `ready` or `failing`.
    status: &'static str,
    /// Whether its database can be written to.
    database: bool,
    /// Whether its store of archives can be written to.
    archives: bool,
}

/// Say whether the database and the store of archives can be written to, as of the last ten seconds
#[utoipa::path(
    get,
    path = "/ready",
    tag = "registry",
    responses((status = 200, body = Readiness), (status = 503, body = Readiness))
)]
pub(crate) async fn ready(State(server): State<Server>) -> (StatusCode, Json<Readiness>) {
    let found = server.readiness.of(&server.registry).await;
    let (code, status) = if found.database && found.archives {
        (StatusCode::OK, "ready")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "failing")
    };
    let told = Readiness {
        status,
        database: found.database,
        archives: found.archives,
    };
    (code, Json(told))
}

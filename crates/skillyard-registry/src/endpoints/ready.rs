//! `GET /ready`: whether the registry can take what is published.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use crate::server::Server;

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

//! `GET /api/v1/models`: what can be chosen for a new session.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::refusals::{Forbidden, Missing};
use crate::problem::Problem;
use crate::server::Server;
use crate::web::elsewhere;

/// The models that can be chosen.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Choices {
    /// What is taken when nobody chooses.
    default: String,
    /// What the configuration and the agents name; other models of those servers work for admins, too.
    models: Vec<String>,
}

/// List models
#[utoipa::path(get, path = "/api/v1/models", tag = "chat",
    responses((status = 200, body = Choices),
        Forbidden, Missing))]
pub(super) async fn list(State(server): State<Arc<Server>>) -> Result<Json<Choices>, Problem> {
    let models = elsewhere(move || Ok::<_, Problem>(server.chats.agents()?.models()?));
    let models = models.await??;
    Ok(Json(Choices {
        default: models.default,
        models: models.known,
    }))
}

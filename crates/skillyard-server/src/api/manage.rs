//! What admins change: switches and the catalog at hand.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::input::{Caller, Named};
use super::refusals::{Forbidden, Missing, Senseless};
use crate::host::Switch;
use crate::problem::Problem;
use crate::server::Server;
use crate::web::elsewhere;

/// Whether something is different now.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Changed {
    /// Whether it is.
    changed: bool,
    /// How many skills there are now.
    skills: usize,
}

/// Let a skill be used again
#[utoipa::path(post, path = "/api/v1/skills/{name}/enable", tag = "admin", params(("name" = String, Path)),
    responses((status = 200, body = Changed),
        Senseless, Forbidden, Missing))]
pub(super) async fn enable(
    State(server): State<Arc<Server>>,
    caller: Caller,
    Named(name): Named<String>,
) -> Result<Json<Changed>, Problem> {
    switch(server, caller, name, Switch::On).await
}

/// Keep a skill out of prompts
#[utoipa::path(post, path = "/api/v1/skills/{name}/disable", tag = "admin", params(("name" = String, Path)),
    responses((status = 200, body = Changed),
        Senseless, Forbidden, Missing))]
pub(super) async fn disable(
    State(server): State<Arc<Server>>,
    caller: Caller,
    Named(name): Named<String>,
) -> Result<Json<Changed>, Problem> {
    switch(server, caller, name, Switch::Off).await
}

/// Look for skills again
#[utoipa::path(post, path = "/api/v1/reload", tag = "admin",
    responses((status = 200, body = Changed),
        Forbidden))]
pub(super) async fn reload(State(server): State<Arc<Server>>) -> Result<Json<Changed>, Problem> {
    let done = elsewhere(move || {
        let changed = server.reload()?;
        Ok::<_, Problem>(Json(Changed::of(&server, changed)))
    });
    done.await?
}

async fn switch(
    server: Arc<Server>,
    caller: Caller,
    name: String,
    switch: Switch,
) -> Result<Json<Changed>, Problem> {
    let done = elsewhere(move || {
        let changed = server.switch(&name, switch, &caller.holder)?;
        Ok::<_, Problem>(Json(Changed::of(&server, changed)))
    });
    done.await?
}

impl Changed {
    fn of(server: &Server, changed: bool) -> Self {
        Self {
            changed,
            skills: server.catalog.snapshot().catalog.skills.len(),
        }
    }
}

//! What admins change: switches and the catalog at hand. Installation of skills.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::input::{Caller, JsonBody, PathInput};
use super::openapi::{Forbidden, Full, Missing, NotJson, Senseless, Untimely};
use crate::host::Switch;
use crate::host::install::{Installation, Order, OrderScope, Refusal};
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
    PathInput(name): PathInput<String>,
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
    PathInput(name): PathInput<String>,
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

/// What is to be installed.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InstallInput {
    /// Where it is, as `skillyard install` takes it.
    #[schema(min_length = 1, max_length = 4096)]
    reference: String,
    /// Which skills of it; without any, the only one there is.
    #[serde(default)]
    skills: Vec<String>,
    /// Whose skills they become.
    scope: Option<ScopeInput>,
    /// The plan that an earlier answer named; without it nothing is installed, only planned.
    plan: Option<String>,
}

/// Whose skills they become.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ScopeInput {
    /// The user's.
    User,
    /// The project's.
    Project,
}

/// Plan an installation, or carry a plan out
#[utoipa::path(post, path = "/api/v1/install", tag = "admin", request_body = InstallInput,
    responses((status = 200, body = Installation),
        Senseless, Forbidden, Untimely, NotJson, Full))]
pub(super) async fn install(
    State(server): State<Arc<Server>>,
    caller: Caller,
    JsonBody(input): JsonBody<InstallInput>,
) -> Result<Json<Installation>, Problem> {
    // What looks like a flag is none of ours.
    if input.reference.trim().is_empty() || input.reference.len() > 4096 {
        return Err(Problem::bad("`reference` says where the skill is"));
    }
    let order = Order {
        reference: input.reference,
        skills: input.skills,
        scope: input.scope.map(|scope| match scope {
            ScopeInput::User => OrderScope::User,
            ScopeInput::Project => OrderScope::Project,
        }),
        plan: input.plan,
        holder: caller.holder,
    };
    let (_awaited, work) = server.background.begin(&order.holder)?;
    let done = elsewhere(move || {
        let done = server.host.install(&order, work.stop()).map_err(told)?;
        if done.applied {
            server.reload()?;
        }
        Ok::<_, Problem>(done)
    });
    Ok(Json(done.await??))
}

fn told(refusal: Refusal) -> Problem {
    let text = refusal.to_string();
    match refusal {
        Refusal::Refused(_) => Problem::new(StatusCode::CONFLICT, text),
        Refusal::Stopped => Problem::new(StatusCode::SERVICE_UNAVAILABLE, text),
        Refusal::Failed(cause) => Problem::trouble(text, cause),
    }
}

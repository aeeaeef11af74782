//! `POST /api/v1/install`: a plan first, then, with the plan's name, what it says.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::input::{Caller, Given};
use super::refusals::{Forbidden, Full, NotJson, Senseless, Untimely};
use crate::host::install::{Installation, Order, OrderScope, Refusal};
use crate::problem::Problem;
use crate::server::Server;
use crate::web::elsewhere;

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
    Given(input): Given<InstallInput>,
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

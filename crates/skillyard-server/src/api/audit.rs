//! `GET /api/v1/audit` and `GET /api/v1/audit/verify`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use skillyard_audit::{Filter, read_page};
use utoipa::{IntoParams, ToSchema};

use super::input::{PathInput, QueryInput};
use super::openapi::{Forbidden, Missing, Senseless};
use crate::problem::Problem;
use crate::replay::{Replayed, unknown_filter};
use crate::server::Server;
use crate::web::elsewhere;

/// The most events of one answer.
const MAX_EVENTS: usize = 1_000;

/// Which events are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuditQuery {
    /// About this skill.
    skill: Option<String>,
    /// Of this kind, or of all kinds that begin so.
    event: Option<String>,
    /// In this session.
    session: Option<String>,
    /// With this outcome.
    outcome: Option<String>,
    /// Only the last so many; 1 to 1000.
    limit: Option<usize>,
    /// Only events before this number, as `older` of another answer says it.
    before: Option<u64>,
}

/// A part of the log, the oldest events first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Excerpt {
    /// The events as they stand in the log.
    #[schema(value_type = Vec<Object>)]
    events: Vec<Value>,
    /// How many lines could not be understood.
    unreadable: usize,
    /// Where older ones fit, too: what to ask for them with, as `before`.
    #[serde(skip_serializing_if = "Option::is_none")]
    older: Option<u64>,
}

/// What came of checking the log.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Chain {
    /// Whether the log is as it was written.
    intact: bool,
    /// How many events were seen.
    events: u64,
    /// The first thing that is wrong.
    fault: Option<String>,
}

/// Query the audit log
#[utoipa::path(get, path = "/api/v1/audit", tag = "audit", params(AuditQuery),
    responses((status = 200, body = Excerpt),
        Senseless, Forbidden))]
pub(super) async fn query(
    State(server): State<Arc<Server>>,
    QueryInput(wanted): QueryInput<AuditQuery>,
) -> Result<Json<Excerpt>, Problem> {
    if let Some(wrong) = unknown_filter(wanted.event.as_deref(), wanted.outcome.as_deref()) {
        return Err(Problem::bad(wrong));
    }
    let filter = Filter {
        skill: wanted.skill,
        event: wanted.event,
        session: wanted.session,
        outcome: wanted.outcome,
        limit: Some(wanted.limit.unwrap_or(100).clamp(1, MAX_EVENTS)),
        before: wanted.before,
        ..Filter::default()
    };
    let read = elsewhere(move || read_page(server.host.audit_folder(), &filter));
    let (reading, older) = read.await??;
    let lines = reading.lines.iter();
    Ok(Json(Excerpt {
        events: lines
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect(),
        unreadable: reading.unreadable,
        older,
    }))
}

/// Check that the audit log is as it was written
#[utoipa::path(get, path = "/api/v1/audit/verify", tag = "audit",
    responses((status = 200, body = Chain),
        Forbidden))]
pub(super) async fn verify(State(server): State<Arc<Server>>) -> Result<Json<Chain>, Problem> {
    let verified = elsewhere(move || skillyard_audit::verify(server.host.audit_folder(), None));
    let verdict = verified.await??;
    Ok(Json(Chain {
        intact: verdict.fault.is_none(),
        events: verdict.events,
        fault: verdict.fault.map(|fault| fault.to_string()),
    }))
}

/// Make a session again from what is on disk, and compare it with the log
#[utoipa::path(get, path = "/api/v1/audit/replay/{session}", tag = "audit", params(("session" = String, Path)),
    responses((status = 200, body = Replayed),
        Forbidden, Missing))]
pub(super) async fn replay(
    State(server): State<Arc<Server>>,
    PathInput(session): PathInput<String>,
) -> Result<Json<Replayed>, Problem> {
    let replayed = elsewhere(move || server.replayed(&session)).await??;
    Ok(Json(replayed))
}

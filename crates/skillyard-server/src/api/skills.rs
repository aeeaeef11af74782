//! `GET /api/v1/skills`.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use skillyard_catalog::Status;
use skillyard_catalog::source::SourceKind;
use utoipa::{IntoParams, ToSchema};

use super::input::{Asked, Caller};
use super::refusals::Senseless;
use super::tag::tagged;
use crate::problem::Problem;
use crate::server::Server;
use crate::view::SkillSummary;
use crate::web::elsewhere;

/// How many skills a page has at most.
const MOST: usize = 500;

/// Which skills are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    /// Only of this source.
    #[param(value_type = Option<String>)]
    source: Option<SourceKind>,
    /// Only of this status.
    status: Option<String>,
    /// How many; at most 500.
    limit: Option<usize>,
    /// Where an earlier page ended.
    cursor: Option<String>,
}

/// A page of skills.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SkillList {
    /// The skills.
    skills: Vec<SkillSummary>,
    /// Those that are locked, revoked and in no folder, whatever is wanted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    revoked: Vec<RevokedSkill>,
    /// How many fit in all.
    total: usize,
    /// Where the next page begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// A skill that is locked and revoked.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RevokedSkill {
    /// Its name.
    name: String,
    /// Since when and why.
    reason: String,
}

/// List skills, the strongest source first
#[utoipa::path(get, path = "/api/v1/skills", tag = "skills", params(Wanted),
    responses((status = 200, body = SkillList), (status = 304, description = "not changed"),
        Senseless))]
pub(super) async fn list(
    State(server): State<Arc<Server>>,
    caller: Caller,
    Asked(wanted): Asked<Wanted>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let listed = elsewhere(move || listed(&server, &caller, &wanted)).await??;
    tagged(&headers, &listed)
}

fn listed(server: &Server, caller: &Caller, wanted: &Wanted) -> Result<SkillList, Problem> {
    let snapshot = server.catalog.snapshot();
    let viewer = caller.viewer(server);
    // Whoever mistypes a filter must not read that there are no skills.
    let status = wanted.status.as_deref();
    if let Some(status) = status.filter(|status| !Status::WORDS.contains(status)) {
        let words = Status::WORDS.join("`, `");
        return Err(Problem::bad(format!(
            "`status` is one of `{words}`, and not `{status}`"
        )));
    }
    let found: Vec<_> = snapshot
        .catalog
        .skills
        .iter()
        .filter(|skill| wanted.source.is_none_or(|kind| kind == skill.kind))
        .filter(|skill| status.is_none_or(|status| status == skill.status.as_str()))
        .collect();
    let limit = wanted.limit.unwrap_or(100).clamp(1, MOST);
    let (page, next_cursor) = snapshot.page(&found, wanted.cursor.as_deref(), limit)?;
    let page = page.iter();
    let skills = page.map(|skill| SkillSummary::of(skill, &viewer));
    let revoked = server.host.revoked_absent().into_iter();
    let revoked = revoked.map(|(name, reason)| RevokedSkill {
        reason: viewer.redactor().redact(&reason),
        name,
    });
    Ok(SkillList {
        skills: skills.collect(),
        revoked: revoked.collect(),
        total: found.len(),
        next_cursor,
    })
}

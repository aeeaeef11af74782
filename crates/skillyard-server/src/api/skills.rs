//! `GET /api/v1/skills`, `/api/v1/search` and `/api/v1/match`: list and find skills.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use skillyard_catalog::Status;
use skillyard_catalog::source::SourceKind;
use utoipa::{IntoParams, ToSchema};

use super::input::{Caller, QueryInput, tagged};
use super::openapi::Senseless;
use crate::problem::Problem;
use crate::server::Server;
use crate::view::SkillSummary;
use crate::web::elsewhere;

/// How many skills a page has at most.
const MAX_SKILLS: usize = 500;

/// Which skills are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct SkillsQuery {
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
#[utoipa::path(get, path = "/api/v1/skills", tag = "skills", params(SkillsQuery),
    responses((status = 200, body = SkillList), (status = 304, description = "not changed"),
        Senseless))]
pub(super) async fn list(
    State(server): State<Arc<Server>>,
    caller: Caller,
    QueryInput(wanted): QueryInput<SkillsQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let listed = elsewhere(move || listed(&server, &caller, &wanted)).await??;
    tagged(&headers, &listed)
}

fn listed(server: &Server, caller: &Caller, wanted: &SkillsQuery) -> Result<SkillList, Problem> {
    let snapshot = server.catalog.snapshot();
    let viewer = caller.viewer(server);
    // A mistyped filter is an error, not an empty list.
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
    let limit = wanted.limit.unwrap_or(100).clamp(1, MAX_SKILLS);
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

/// How many skills are found at most.
const MAX_FOUND: usize = 100;

/// Words to look for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Words {
    /// The words.
    q: String,
    /// How many skills; at most 100.
    limit: Option<usize>,
}

/// A task.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Task {
    /// The task, in the user's words.
    task: String,
    /// How many skills; at most 100.
    limit: Option<usize>,
}

/// What was found, best first.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Found)]
pub(crate) struct FoundSkills {
    /// The skills.
    results: Vec<FoundSkill>,
}

/// A skill that was found.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FoundSkill {
    #[serde(flatten)]
    summary: SkillSummary,
    /// How well it fits; only its order means something.
    score: f32,
}

/// Search all skills by words
#[utoipa::path(get, path = "/api/v1/search", tag = "find", params(Words),
    responses((status = 200, body = FoundSkills),
        Senseless))]
pub(super) async fn search(
    State(server): State<Arc<Server>>,
    caller: Caller,
    QueryInput(words): QueryInput<Words>,
) -> Result<Json<FoundSkills>, Problem> {
    find(server, caller, words.limit, move |snapshot, limit| {
        snapshot.search(&words.q, limit)
    })
    .await
}

/// Find the skills that fit a task, of those a model may choose from
#[utoipa::path(get, path = "/api/v1/match", tag = "find", params(Task),
    responses((status = 200, body = FoundSkills),
        Senseless))]
pub(super) async fn matching(
    State(server): State<Arc<Server>>,
    caller: Caller,
    QueryInput(task): QueryInput<Task>,
) -> Result<Json<FoundSkills>, Problem> {
    find(server, caller, task.limit, move |snapshot, limit| {
        snapshot.matching(&task.task, limit)
    })
    .await
}

async fn find(
    server: Arc<Server>,
    caller: Caller,
    limit: Option<usize>,
    rank: impl for<'a> Fn(
        &'a crate::catalog_cache::CatalogSnapshot,
        usize,
    ) -> Vec<(&'a skillyard_catalog::CatalogSkill, f32)>
    + Send
    + 'static,
) -> Result<Json<FoundSkills>, Problem> {
    let limit = limit.unwrap_or(20).clamp(1, MAX_FOUND);
    let results = elsewhere(move || {
        let snapshot = server.catalog.snapshot();
        let viewer = caller.viewer(&server);
        let hits = rank(&snapshot, limit).into_iter();
        hits.map(|(skill, score)| FoundSkill {
            summary: SkillSummary::of(skill, &viewer),
            score,
        })
        .collect()
    });
    Ok(Json(FoundSkills {
        results: results.await?,
    }))
}

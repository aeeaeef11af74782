//! `GET /api/v1/search` and `GET /api/v1/match`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::input::{Asked, Caller};
use super::refusals::Senseless;
use crate::problem::Problem;
use crate::server::Server;
use crate::view::SkillSummary;
use crate::web::elsewhere;

/// How many skills are found at most.
const MOST: usize = 100;

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
pub(crate) struct Found {
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
    responses((status = 200, body = Found),
        Senseless))]
pub(super) async fn search(
    State(server): State<Arc<Server>>,
    caller: Caller,
    Asked(words): Asked<Words>,
) -> Result<Json<Found>, Problem> {
    find(server, caller, words.limit, move |snapshot, limit| {
        snapshot.search(&words.q, limit)
    })
    .await
}

/// Find the skills that fit a task, of those a model may choose from
#[utoipa::path(get, path = "/api/v1/match", tag = "find", params(Task),
    responses((status = 200, body = Found),
        Senseless))]
pub(super) async fn matching(
    State(server): State<Arc<Server>>,
    caller: Caller,
    Asked(task): Asked<Task>,
) -> Result<Json<Found>, Problem> {
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
) -> Result<Json<Found>, Problem> {
    let limit = limit.unwrap_or(20).clamp(1, MOST);
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
    Ok(Json(Found {
        results: results.await?,
    }))
}

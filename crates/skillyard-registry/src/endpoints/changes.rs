//! `GET /changes?since&limit`: which skills changed, for those who keep a copy.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::error::RegistryError;
use crate::server::Server;
use crate::store::skills;

/// The most skills in one answer.
const MOST: i64 = 1000;

/// Which changes.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parameters {
    /// The number of the last change that is known.
    since: i64,
    /// How many; at most 1000.
    limit: Option<i64>,
}

/// What changed.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Changes {
    /// The skills, the earliest change first.
    skills: Vec<ChangedSkill>,
    /// The number of the last change of all. Who knows a higher one knows changes that are undone,
    /// and begins with 0 again.
    last: i64,
}

/// A skill that changed.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChangedSkill {
    /// The skill.
    name: String,
    /// The number of its last change.
    sequence: i64,
}

/// List the skills that changed, to keep a copy
#[utoipa::path(get, path = "/changes", tag = "index", params(Parameters),
    responses((status = 200, body = Changes)))]
pub(crate) async fn changes(
    State(server): State<Server>,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Result<Json<Changes>, RegistryError> {
    let wrong = |_| RegistryError::Parameter("`since` is the number of a change".to_owned());
    let parameters = parameters.map_err(wrong)?.0;
    let limit = parameters.limit.unwrap_or(MOST).clamp(1, MOST);
    let database = &server.registry.database;
    let found = skills::changed_after(database, parameters.since, limit).await?;
    // Afterwards, so that no skill has a higher one.
    let last = database.sequence().await?;
    let skills = found.into_iter();
    let skills = skills.map(|(name, sequence)| ChangedSkill { name, sequence });
    Ok(Json(Changes {
        skills: skills.collect(),
        last,
    }))
}

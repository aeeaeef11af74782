//! `GET /changes?since&limit`: which skills changed, for those who keep a copy.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::RegistryError;
use crate::server::Server;
use crate::store::skills;

/// The most skills in one answer.
const MOST: i64 = 1000;

#[derive(Debug, Deserialize)]
pub(crate) struct Parameters {
    since: i64,
    limit: Option<i64>,
}

pub(crate) async fn changes(
    State(server): State<Server>,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Result<Json<Value>, RegistryError> {
    let wrong = |_| RegistryError::Parameter("`since` is the number of a change".to_owned());
    let parameters = parameters.map_err(wrong)?.0;
    let limit = parameters.limit.unwrap_or(MOST).clamp(1, MOST);
    let found = skills::changed_after(&server.registry.database, parameters.since, limit).await?;
    let told: Vec<Value> = found
        .iter()
        .map(|(name, sequence)| json!({ "name": name, "sequence": sequence }))
        .collect();
    Ok(Json(json!({ "skills": told })))
}

//! `GET /skills/{name}`: a skill with all its versions.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use super::named;
use super::summary::Summary;
use crate::error::RegistryError;
use crate::segments::Segments;
use crate::server::Server;
use crate::store::{owners, skills, tags, versions};

pub(crate) async fn show(
    State(server): State<Server>,
    Segments(name): Segments<String>,
) -> Result<Json<Value>, RegistryError> {
    let name = named(&name)?;
    let database = &server.registry.database;
    let skill = skills::one(database, name.as_str()).await?;
    let skill = skill.ok_or_else(|| RegistryError::NoSkill(name.to_string()))?;
    let all = versions::of(database, name.as_str()).await?;
    let versions: Vec<Value> = all
        .iter()
        .rev()
        .map(|each| {
            json!({
                "version": each.version,
                "digest": each.digest,
                "size": each.size,
                "published": each.published,
                "publisher": each.publisher,
                "signer": each.signer,
                "verdict": each.verdict,
                "yanked": each.yanked.is_some(),
                "yank_reason": each.yanked,
            })
        })
        .collect();
    let mut answer = json!(Summary::new(&skill, &server.settings));
    let tags: serde_json::Map<String, Value> = tags::of(database, name.as_str())
        .await?
        .into_iter()
        .map(|(tag, version)| (tag, version.into()))
        .collect();
    answer["dist_tags"] = Value::Object(tags);
    answer["owners"] = json!(owners::of(database, name.as_str()).await?);
    answer["files"] = json!(skill.latest.facts.files);
    answer["findings"] = json!(skill.latest.facts.findings);
    answer["requires"] = json!(skill.latest.facts.requires);
    answer["compatibility"] = json!(skill.latest.facts.compatibility);
    answer["versions"] = json!(versions);
    Ok(Json(answer))
}

//! `/skills/{name}/owners`: who owns a skill, and changes to that.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use skillyard_format::SkillName;

use super::named;
use crate::auth::Caller;
use crate::error::RegistryError;
use crate::segments::Segments;
use crate::server::Server;
use crate::store::owners;

pub(crate) async fn list(
    State(server): State<Server>,
    Segments(name): Segments<String>,
) -> Result<Json<Value>, RegistryError> {
    told(&server, &named(&name)?).await
}

pub(crate) async fn add(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments((name, account)): Segments<(String, String)>,
) -> Result<Json<Value>, RegistryError> {
    let name = named(&name)?;
    server
        .registry
        .add_owner(&identity, &name, &account)
        .await?;
    told(&server, &name).await
}

pub(crate) async fn remove(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments((name, account)): Segments<(String, String)>,
) -> Result<Json<Value>, RegistryError> {
    let name = named(&name)?;
    server
        .registry
        .remove_owner(&identity, &name, &account)
        .await?;
    told(&server, &name).await
}

async fn told(server: &Server, name: &SkillName) -> Result<Json<Value>, RegistryError> {
    let owners = owners::of(&server.registry.database, name.as_str()).await?;
    // No skill is without an owner.
    if owners.is_empty() {
        return Err(RegistryError::NoSkill(name.to_string()));
    }
    Ok(Json(json!({ "name": name.as_str(), "owners": owners })))
}

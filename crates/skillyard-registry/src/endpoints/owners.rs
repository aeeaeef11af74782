//! `/skills/{name}/owners`: who owns a skill, and changes to that.

use axum::Json;
use axum::extract::State;
use bytes::Bytes;
use serde_json::{Value, json};
use skillyard_format::QualifiedName;

use super::named;
use super::namespaces::{people, wanted};
use crate::auth::Caller;
use crate::error::RegistryError;
use crate::ownership::Subject;
use crate::role::Role;
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
    body: Bytes,
) -> Result<Json<Value>, RegistryError> {
    let name = named(&name)?;
    let role = Some(wanted(&body)?);
    server
        .registry
        .set_role(&identity, &Subject::Skill(name.clone()), &account, role)
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
        .set_role(&identity, &Subject::Skill(name.clone()), &account, None)
        .await?;
    told(&server, &name).await
}

async fn told(server: &Server, name: &QualifiedName) -> Result<Json<Value>, RegistryError> {
    let all = owners::people(&server.registry.database, name.as_str()).await?;
    // No skill is without an owner.
    if all.is_empty() {
        return Err(RegistryError::NoSkill(name.to_string()));
    }
    let owners = all.iter().filter(|each| each.role == Role::Owner);
    let owners: Vec<&String> = owners.map(|each| &each.account).collect();
    Ok(Json(
        json!({ "name": name.as_str(), "owners": owners, "people": people(&all) }),
    ))
}

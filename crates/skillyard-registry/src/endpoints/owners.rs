//! `/skills/{name}/owners`: who owns a skill, and changes to that.

use axum::Json;
use axum::extract::State;
use bytes::Bytes;
use serde::Serialize;
use skillyard_format::QualifiedName;
use utoipa::ToSchema;

use super::named;
use super::namespaces::{Member, WantedRole, people, wanted};
use crate::error::RegistryError;
use crate::extract::Caller;
use crate::extract::Segments;
use crate::problem::Problem;
use crate::role::Role;
use crate::server::Server;
use crate::store::owners;
use crate::subject::Subject;

/// Who owns a skill.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OwnerList {
    /// The skill.
    name: String,
    /// Its owners.
    owners: Vec<String>,
    /// All who may do something with it.
    people: Vec<Member>,
}

/// List the owners of a skill
#[utoipa::path(get, path = "/skills/{name}/owners", tag = "owners",
    params(("name" = String, Path, description = "the skill")),
    responses((status = 200, body = OwnerList)))]
pub(crate) async fn list(
    State(server): State<Server>,
    Segments(name): Segments<String>,
) -> Result<Json<OwnerList>, RegistryError> {
    told(&server, &named(&name)?).await
}

/// Make an account an owner, or give it another role
#[utoipa::path(put, path = "/skills/{name}/owners/{account}", tag = "owners", security(("token" = [])),
    params(("name" = String, Path, description = "the skill"),
        ("account" = String, Path, description = "the account")),
    request_body(content = Option<WantedRole>, description = "without one, an owner"),
    responses((status = 200, body = OwnerList),
        (status = 400, body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn add(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments((name, account)): Segments<(String, String)>,
    body: Bytes,
) -> Result<Json<OwnerList>, RegistryError> {
    let name = named(&name)?;
    let role = Some(wanted(&body)?);
    server
        .registry
        .set_role(&identity, &Subject::Skill(name.clone()), &account, role)
        .await?;
    told(&server, &name).await
}

/// Take an owner away; the last one stays
#[utoipa::path(delete, path = "/skills/{name}/owners/{account}", tag = "owners", security(("token" = [])),
    params(("name" = String, Path, description = "the skill"),
        ("account" = String, Path, description = "the account")),
    responses((status = 200, body = OwnerList),
        (status = 400, body = Problem, content_type = "application/problem+json"),
        (status = 409, body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn remove(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments((name, account)): Segments<(String, String)>,
) -> Result<Json<OwnerList>, RegistryError> {
    let name = named(&name)?;
    server
        .registry
        .set_role(&identity, &Subject::Skill(name.clone()), &account, None)
        .await?;
    told(&server, &name).await
}

async fn told(server: &Server, name: &QualifiedName) -> Result<Json<OwnerList>, RegistryError> {
    let all = owners::people(server.registry.database.pool(), name.as_str()).await?;
    // No skill is without an owner.
    if all.is_empty() {
        return Err(RegistryError::NoSkill(name.to_string()));
    }
    let owners = all.iter().filter(|each| each.role == Role::Owner);
    Ok(Json(OwnerList {
        name: name.to_string(),
        owners: owners.map(|each| each.account.clone()).collect(),
        people: people(&all),
    }))
}

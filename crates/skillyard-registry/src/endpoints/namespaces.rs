//! `/namespaces/{namespace}`: who may do what in it, and making one.

use axum::Json;
use axum::extract::State;
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};
use skillyard_format::Namespace;

use super::namespaced;
use crate::auth::Caller;
use crate::error::RegistryError;
use crate::ownership::Subject;
use crate::role::Role;
use crate::segments::Segments;
use crate::server::Server;
use crate::store::namespaces;
use crate::store::owners::Person;

#[derive(Debug, Deserialize)]
struct Wanted {
    role: String,
}

pub(crate) async fn show(
    State(server): State<Server>,
    Segments(namespace): Segments<String>,
) -> Result<Json<Value>, RegistryError> {
    told(&server, &namespaced(&namespace)?).await
}

pub(crate) async fn create(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments(namespace): Segments<String>,
) -> Result<Json<Value>, RegistryError> {
    let namespace = Namespace::new(&namespace)
        .map_err(|problem| RegistryError::Parameter(problem.to_string()))?;
    server
        .registry
        .create_namespace(&identity, &namespace)
        .await?;
    told(&server, &namespace).await
}

pub(crate) async fn add(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments((namespace, account)): Segments<(String, String)>,
    body: Bytes,
) -> Result<Json<Value>, RegistryError> {
    let namespace = namespaced(&namespace)?;
    let subject = Subject::Namespace(namespace.clone());
    let role = Some(wanted(&body)?);
    server
        .registry
        .set_role(&identity, &subject, &account, role)
        .await?;
    told(&server, &namespace).await
}

pub(crate) async fn remove(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments((namespace, account)): Segments<(String, String)>,
) -> Result<Json<Value>, RegistryError> {
    let namespace = namespaced(&namespace)?;
    let subject = Subject::Namespace(namespace.clone());
    server
        .registry
        .set_role(&identity, &subject, &account, None)
        .await?;
    told(&server, &namespace).await
}

/// The role that a body asks for; without a body, an owner's.
pub(super) fn wanted(body: &[u8]) -> Result<Role, RegistryError> {
    if body.is_empty() {
        return Ok(Role::Owner);
    }
    let wanted = serde_json::from_slice::<Wanted>(body).ok();
    let role = wanted.and_then(|wanted| wanted.role.parse().ok());
    role.ok_or_else(|| {
        let reason = "the body is JSON with a `role`: publisher, maintainer or owner";
        RegistryError::Parameter(reason.to_owned())
    })
}

/// People as they are told.
pub(super) fn people(people: &[Person]) -> Vec<Value> {
    let told = |each: &Person| json!({ "account": each.account, "role": each.role.as_str() });
    people.iter().map(told).collect()
}

async fn told(server: &Server, namespace: &Namespace) -> Result<Json<Value>, RegistryError> {
    let database = &server.registry.database;
    let members = namespaces::members(database, namespace).await?;
    // No namespace is without an owner.
    if members.is_empty() {
        return Err(RegistryError::NoNamespace(namespace.to_string()));
    }
    let owners = members.iter().filter(|each| each.role == Role::Owner);
    Ok(Json(json!({
        "name": namespace.to_string(),
        "owners": owners.map(|each| &each.account).collect::<Vec<_>>(),
        "people": people(&members),
        "skills": namespaces::skills(database, namespace).await?,
    })))
}

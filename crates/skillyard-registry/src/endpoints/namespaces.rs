//! `/namespaces/{namespace}`: who may do what in it, and making one.

use axum::Json;
use axum::extract::State;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use skillyard_format::Namespace;
use utoipa::ToSchema;

use super::namespaced;
use crate::error::RegistryError;
use crate::extract::Caller;
use crate::extract::Segments;
use crate::problem::Problem;
use crate::role::Role;
use crate::server::Server;
use crate::store::namespaces;
use crate::store::owners::Person;
use crate::subject::Subject;

/// What somebody is to be.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct WantedRole {
    /// `publisher`, `maintainer` or `owner`.
    role: String,
}

/// Somebody with a role.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Member {
    /// The account.
    account: String,
    /// `publisher`, `maintainer` or `owner`.
    role: &'static str,
}

/// A namespace.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NamespaceDetail {
    /// Its name, with its `@`.
    name: String,
    /// Its owners.
    owners: Vec<String>,
    /// All who may do something in it.
    people: Vec<Member>,
    /// The skills in it.
    skills: Vec<String>,
}

/// Show a namespace
#[utoipa::path(get, path = "/namespaces/{namespace}", tag = "namespaces",
    params(("namespace" = String, Path, description = "the namespace")),
    responses((status = 200, body = NamespaceDetail)))]
pub(crate) async fn show(
    State(server): State<Server>,
    Segments(namespace): Segments<String>,
) -> Result<Json<NamespaceDetail>, RegistryError> {
    told(&server, &namespaced(&namespace)?).await
}

/// Make a namespace, whose owner is whoever asks
#[utoipa::path(put, path = "/namespaces/{namespace}", tag = "namespaces", security(("token" = [])),
    params(("namespace" = String, Path, description = "the namespace")),
    responses((status = 200, body = NamespaceDetail), (status = 400, body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn create(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments(namespace): Segments<String>,
) -> Result<Json<NamespaceDetail>, RegistryError> {
    let namespace = Namespace::new(&namespace)
        .map_err(|problem| RegistryError::Parameter(problem.to_string()))?;
    server
        .registry
        .create_namespace(&identity, &namespace)
        .await?;
    told(&server, &namespace).await
}

/// Give an account a role in a namespace
#[utoipa::path(put, path = "/namespaces/{namespace}/members/{account}", tag = "namespaces", security(("token" = [])),
    params(("namespace" = String, Path, description = "the namespace"),
        ("account" = String, Path, description = "the account")),
    request_body(content = Option<WantedRole>, description = "without one, an owner"),
    responses((status = 200, body = NamespaceDetail), (status = 400, body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn add(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments((namespace, account)): Segments<(String, String)>,
    body: Bytes,
) -> Result<Json<NamespaceDetail>, RegistryError> {
    let namespace = namespaced(&namespace)?;
    let subject = Subject::Namespace(namespace.clone());
    let role = Some(wanted(&body)?);
    server
        .registry
        .set_role(&identity, &subject, &account, role)
        .await?;
    told(&server, &namespace).await
}

/// Take an account's role away
#[utoipa::path(delete, path = "/namespaces/{namespace}/members/{account}", tag = "namespaces", security(("token" = [])),
    params(("namespace" = String, Path, description = "the namespace"),
        ("account" = String, Path, description = "the account")),
    responses((status = 200, body = NamespaceDetail), (status = 400, body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn remove(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments((namespace, account)): Segments<(String, String)>,
) -> Result<Json<NamespaceDetail>, RegistryError> {
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
    let wanted = serde_json::from_slice::<WantedRole>(body).ok();
    let role = wanted.and_then(|wanted| wanted.role.parse().ok());
    role.ok_or_else(|| {
        let reason = "the body is JSON with a `role`: publisher, maintainer or owner";
        RegistryError::Parameter(reason.to_owned())
    })
}

/// People as they are told.
pub(super) fn people(people: &[Person]) -> Vec<Member> {
    let told = |each: &Person| Member {
        account: each.account.clone(),
        role: each.role.as_str(),
    };
    people.iter().map(told).collect()
}

async fn told(
    server: &Server,
    namespace: &Namespace,
) -> Result<Json<NamespaceDetail>, RegistryError> {
    let database = &server.registry.database;
    let members = namespaces::members(database, namespace).await?;
    // No namespace is without an owner.
    if members.is_empty() {
        return Err(RegistryError::NoNamespace(namespace.to_string()));
    }
    let owners = members.iter().filter(|each| each.role == Role::Owner);
    Ok(Json(NamespaceDetail {
        name: namespace.to_string(),
        owners: owners.map(|each| each.account.clone()).collect(),
        people: people(&members),
        skills: namespaces::skills(database, namespace).await?,
    }))
}

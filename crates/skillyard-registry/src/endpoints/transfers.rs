//! `/skills/{name}/transfer`, `/namespaces/{namespace}/transfer` and `/transfers`: handing over.

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{named, namespaced};
use crate::auth::Caller;
use crate::error::RegistryError;
use crate::ownership::Subject;
use crate::segments::Segments;
use crate::server::Server;
use crate::store::transfers;
use crate::token::Identity;

#[derive(Debug, Deserialize)]
pub(crate) struct Offer {
    to: String,
}

type Body = Result<Json<Offer>, JsonRejection>;

pub(crate) async fn list(
    State(server): State<Server>,
    Caller(identity): Caller,
) -> Result<Json<Value>, RegistryError> {
    let registry = &server.registry;
    let found = transfers::of(&registry.database, &identity.account, registry.now()).await?;
    let told = |each: &transfers::Transfer| {
        json!({
            "subject": each.subject, "from": each.sender, "to": each.recipient, "expires": each.expires,
        })
    };
    let all: Vec<Value> = found.iter().map(told).collect();
    Ok(Json(json!({ "transfers": all })))
}

pub(crate) async fn offer_skill(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments(name): Segments<String>,
    body: Body,
) -> Result<Json<Value>, RegistryError> {
    offer(&server, &identity, &Subject::Skill(named(&name)?), body).await
}

pub(crate) async fn offer_namespace(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments(namespace): Segments<String>,
    body: Body,
) -> Result<Json<Value>, RegistryError> {
    let subject = Subject::Namespace(namespaced(&namespace)?);
    offer(&server, &identity, &subject, body).await
}

pub(crate) async fn accept_skill(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments(name): Segments<String>,
) -> Result<Json<Value>, RegistryError> {
    accept(&server, &identity, &Subject::Skill(named(&name)?)).await
}

pub(crate) async fn accept_namespace(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments(namespace): Segments<String>,
) -> Result<Json<Value>, RegistryError> {
    let subject = Subject::Namespace(namespaced(&namespace)?);
    accept(&server, &identity, &subject).await
}

pub(crate) async fn decline_skill(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments(name): Segments<String>,
) -> Result<Json<Value>, RegistryError> {
    decline(&server, &identity, &Subject::Skill(named(&name)?)).await
}

pub(crate) async fn decline_namespace(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments(namespace): Segments<String>,
) -> Result<Json<Value>, RegistryError> {
    let subject = Subject::Namespace(namespaced(&namespace)?);
    decline(&server, &identity, &subject).await
}

async fn offer(
    server: &Server,
    identity: &Identity,
    subject: &Subject,
    body: Body,
) -> Result<Json<Value>, RegistryError> {
    let wrong = |_| RegistryError::Parameter("the body is JSON with `to`, an account".to_owned());
    let to = body.map_err(wrong)?.0.to;
    let made = server.registry.offer(identity, subject, &to).await?;
    Ok(Json(json!({
        "subject": made.subject, "from": made.sender, "to": made.recipient, "expires": made.expires,
    })))
}

async fn accept(
    server: &Server,
    identity: &Identity,
    subject: &Subject,
) -> Result<Json<Value>, RegistryError> {
    server.registry.accept(identity, subject).await?;
    Ok(Json(
        json!({ "subject": subject.text(), "owner": identity.account }),
    ))
}

async fn decline(
    server: &Server,
    identity: &Identity,
    subject: &Subject,
) -> Result<Json<Value>, RegistryError> {
    server.registry.decline(identity, subject).await?;
    Ok(Json(json!({ "subject": subject.text(), "declined": true })))
}

//! `/skills/{name}/transfer`, `/namespaces/{namespace}/transfer` and `/transfers`: handing over.

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{named, namespaced};
use crate::error::RegistryError;
use crate::extract::Caller;
use crate::extract::Segments;
use crate::server::Server;
use crate::store::transfers;
use crate::subject::Subject;
use crate::token::Identity;

/// To whom.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct Offer {
    /// The account.
    to: String,
}

/// What is offered to whoever asks, or by them.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TransferList {
    /// The offers.
    transfers: Vec<TransferFact>,
}

/// An offer to hand something over.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TransferFact {
    /// A skill, or a namespace with its `@`.
    subject: String,
    /// Who offers it.
    from: String,
    /// To whom.
    to: String,
    /// Until when.
    expires: String,
}

impl From<transfers::Transfer> for TransferFact {
    fn from(transfer: transfers::Transfer) -> Self {
        Self {
            subject: transfer.subject,
            from: transfer.sender,
            to: transfer.recipient,
            expires: transfer.expires,
        }
    }
}

/// Something that was handed over.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Accepted {
    /// A skill, or a namespace with its `@`.
    subject: String,
    /// Whose it is now.
    owner: String,
}

/// An offer that is no more.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Declined {
    /// A skill, or a namespace with its `@`.
    subject: String,
    /// That it is.
    declined: bool,
}

type Body = Result<Json<Offer>, JsonRejection>;

/// List what is offered to whoever asks, or by them
#[utoipa::path(get, path = "/transfers", tag = "owners", security(("token" = [])),
    responses((status = 200, body = TransferList)))]
pub(crate) async fn list(
    State(server): State<Server>,
    Caller(identity): Caller,
) -> Result<Json<TransferList>, RegistryError> {
    let registry = &server.registry;
    let found = transfers::of(&registry.database, &identity.account, registry.now()).await?;
    Ok(Json(TransferList {
        transfers: found.into_iter().map(TransferFact::from).collect(),
    }))
}

/// Offer a skill to another account
#[utoipa::path(put, path = "/skills/{name}/transfer", tag = "owners", security(("token" = [])),
    params(("name" = String, Path, description = "the skill")),
    request_body = Offer,
    responses((status = 200, body = TransferFact)))]
pub(crate) async fn offer_skill(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments(name): Segments<String>,
    body: Body,
) -> Result<Json<TransferFact>, RegistryError> {
    offer(&server, &identity, &Subject::Skill(named(&name)?), body).await
}

/// Offer a namespace to another account
#[utoipa::path(put, path = "/namespaces/{namespace}/transfer", tag = "owners", security(("token" = [])),
    params(("namespace" = String, Path, description = "the namespace")),
    request_body = Offer,
    responses((status = 200, body = TransferFact)))]
pub(crate) async fn offer_namespace(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments(namespace): Segments<String>,
    body: Body,
) -> Result<Json<TransferFact>, RegistryError> {
    let subject = Subject::Namespace(namespaced(&namespace)?);
    offer(&server, &identity, &subject, body).await
}

/// Take over a skill that was offered
#[utoipa::path(post, path = "/skills/{name}/transfer", tag = "owners", security(("token" = [])),
    params(("name" = String, Path, description = "the skill")),
    responses((status = 200, body = Accepted)))]
pub(crate) async fn accept_skill(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments(name): Segments<String>,
) -> Result<Json<Accepted>, RegistryError> {
    accept(&server, &identity, &Subject::Skill(named(&name)?)).await
}

/// Take over a namespace that was offered
#[utoipa::path(post, path = "/namespaces/{namespace}/transfer", tag = "owners", security(("token" = [])),
    params(("namespace" = String, Path, description = "the namespace")),
    responses((status = 200, body = Accepted)))]
pub(crate) async fn accept_namespace(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments(namespace): Segments<String>,
) -> Result<Json<Accepted>, RegistryError> {
    let subject = Subject::Namespace(namespaced(&namespace)?);
    accept(&server, &identity, &subject).await
}

/// Decline or withdraw the offer of a skill
#[utoipa::path(delete, path = "/skills/{name}/transfer", tag = "owners", security(("token" = [])),
    params(("name" = String, Path, description = "the skill")),
    responses((status = 200, body = Declined)))]
pub(crate) async fn decline_skill(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments(name): Segments<String>,
) -> Result<Json<Declined>, RegistryError> {
    decline(&server, &identity, &Subject::Skill(named(&name)?)).await
}

/// Decline or withdraw the offer of a namespace
#[utoipa::path(delete, path = "/namespaces/{namespace}/transfer", tag = "owners", security(("token" = [])),
    params(("namespace" = String, Path, description = "the namespace")),
    responses((status = 200, body = Declined)))]
pub(crate) async fn decline_namespace(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments(namespace): Segments<String>,
) -> Result<Json<Declined>, RegistryError> {
    let subject = Subject::Namespace(namespaced(&namespace)?);
    decline(&server, &identity, &subject).await
}

async fn offer(
    server: &Server,
    identity: &Identity,
    subject: &Subject,
    body: Body,
) -> Result<Json<TransferFact>, RegistryError> {
    let wrong = |_| RegistryError::Parameter("the body is JSON with `to`, an account".to_owned());
    let to = body.map_err(wrong)?.0.to;
    let made = server.registry.offer(identity, subject, &to).await?;
    Ok(Json(TransferFact::from(made)))
}

async fn accept(
    server: &Server,
    identity: &Identity,
    subject: &Subject,
) -> Result<Json<Accepted>, RegistryError> {
    server.registry.accept(identity, subject).await?;
    Ok(Json(Accepted {
        subject: subject.text(),
        owner: identity.account.clone(),
    }))
}

async fn decline(
    server: &Server,
    identity: &Identity,
    subject: &Subject,
) -> Result<Json<Declined>, RegistryError> {
    server.registry.decline(identity, subject).await?;
    Ok(Json(Declined {
        subject: subject.text(),
        declined: true,
    }))
}

//! `/tokens`: create, list and revoke tokens. `/me`: the account and scopes of a token.

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::worded;
use crate::error::RegistryError;
use crate::extract::{Caller, Segments};
use crate::issuing::TokenRequest;
use crate::server::Server;
use crate::token::Scope;

/// The longest that a token lasts, in days.
const MAX_DAYS: u32 = 365;

/// What a token is to be for.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = WantedToken)]
pub(crate) struct Body {
    /// What it allows: no more than the token that asks for it.
    scopes: Vec<String>,
    /// How long it lasts; 90 without a word, at most 365.
    days: Option<u32>,
    /// What to call it.
    label: Option<String>,
}

/// A new token; its text is told this once.
#[derive(Serialize, ToSchema)]
pub(crate) struct CreatedToken {
    /// The token itself.
    token: String,
    /// The name it can be revoked by.
    id: String,
    /// Whom it names.
    user: String,
    /// What it allows.
    scopes: Vec<String>,
    /// What it is called.
    label: Option<String>,
    /// When it ends.
    expires: String,
}

/// The tokens of an account.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TokenList {
    /// The tokens, without their text.
    tokens: Vec<TokenFact>,
}

/// What is told about a token.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TokenFact {
    /// The name it can be revoked by.
    id: String,
    /// Whom it names.
    user: String,
    /// Its first characters.
    prefix: Option<String>,
    /// What it is called.
    label: Option<String>,
    /// What it allows.
    scopes: Vec<String>,
    /// When it was made.
    created: String,
    /// When it ends.
    expires: Option<String>,
    /// When it was revoked.
    revoked: Option<String>,
    /// Whether it is the one that asks.
    current: bool,
}

/// A token that was revoked.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RevokedToken {
    /// Its name.
    id: String,
    /// That it is.
    revoked: bool,
    /// The tokens that were made with it, which ended, too.
    also: Vec<String>,
}

/// Make another token
#[utoipa::path(post, path = "/tokens", tag = "tokens", security(("token" = [])), request_body = Body,
    responses((status = 201, body = CreatedToken)))]
pub(crate) async fn create(
    State(server): State<Server>,
    Caller(identity): Caller,
    body: Result<Json<Body>, JsonRejection>,
) -> Result<(StatusCode, Json<CreatedToken>), RegistryError> {
    let wrong = |_| {
        let reason = "the body is JSON with `scopes`, and perhaps `days` and `label`";
        RegistryError::Parameter(reason.to_owned())
    };
    let Body {
        scopes,
        days,
        label,
    } = body.map_err(wrong)?.0;
    let read: Result<Vec<Scope>, _> = scopes.iter().take(50).map(|each| each.parse()).collect();
    let read = read.map_err(|error| RegistryError::Parameter(error.to_string()))?;
    let days = days.unwrap_or(90);
    if read.is_empty() || !(1..=MAX_DAYS).contains(&days) {
        let reason = format!("a token has a scope and lasts 1 to {MAX_DAYS} days");
        return Err(RegistryError::Parameter(reason));
    }
    if let Some(label) = &label {
        worded("label", label)?;
    }
    let wanted = TokenRequest {
        scopes: read,
        days,
        label,
    };
    let (token, expires) = server.registry.issue(&identity, &wanted).await?;
    let answer = CreatedToken {
        token: token.secret.expose_secret().to_owned(),
        id: token.id,
        user: identity.account,
        scopes,
        label: wanted.label,
        expires: crate::store::stored(expires),
    };
    Ok((StatusCode::CREATED, Json(answer)))
}

/// List the tokens of whoever asks
#[utoipa::path(get, path = "/tokens", tag = "tokens", security(("token" = [])),
    responses((status = 200, body = TokenList)))]
pub(crate) async fn list(
    State(server): State<Server>,
    Caller(identity): Caller,
) -> Result<Json<TokenList>, RegistryError> {
    let tokens = server.registry.issued(&identity).await?;
    let told = tokens.into_iter().map(|each| TokenFact {
        current: each.id == identity.token,
        id: each.id,
        user: each.account,
        prefix: each.shown,
        label: each.label,
        scopes: each.scopes,
        created: each.created,
        expires: each.expires,
        revoked: each.revoked,
    });
    Ok(Json(TokenList {
        tokens: told.collect(),
    }))
}

/// Revoke a token, and all that were made with it
#[utoipa::path(delete, path = "/tokens/{id}", tag = "tokens", security(("token" = [])),
    params(("id" = String, Path, description = "the token's name")),
    responses((status = 200, body = RevokedToken)))]
pub(crate) async fn revoke(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments(id): Segments<String>,
) -> Result<Json<RevokedToken>, RegistryError> {
    let also = server.registry.revoke(&identity, &id).await?;
    Ok(Json(RevokedToken {
        id,
        revoked: true,
        also,
    }))
}

/// Whom a token names, and what it allows.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Account {
    /// The account.
    user: String,
    /// The name that the token can be revoked by.
    token: String,
    /// What it allows.
    scopes: Vec<String>,
    /// When it ends.
    expires: Option<String>,
}

/// Say whom a token names
#[utoipa::path(get, path = "/me", tag = "registry", security(("token" = [])),
    responses((status = 200, body = Account)))]
pub(crate) async fn me(Caller(identity): Caller) -> Json<Account> {
    Json(Account {
        scopes: identity.scopes.iter().map(ToString::to_string).collect(),
        user: identity.account,
        token: identity.token,
        expires: identity.expires.map(|end| end.to_string()),
    })
}

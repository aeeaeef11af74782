//! `GET /me`: whom a token names.

use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

use crate::auth::Caller;

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

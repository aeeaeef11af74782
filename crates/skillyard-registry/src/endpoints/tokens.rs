//! `/tokens`: the tokens of whoever asks.

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use secrecy::ExposeSecret as _;
use serde::Deserialize;
use serde_json::{Value, json};

use super::worded;
use crate::auth::Caller;
use crate::error::RegistryError;
use crate::issuing::Wanted;
use crate::segments::Segments;
use crate::server::Server;
use crate::token::Scope;

/// The longest that a token lasts, in days.
const LONGEST: u32 = 365;

#[derive(Debug, Deserialize)]
pub(crate) struct Body {
    scopes: Vec<String>,
    days: Option<u32>,
    label: Option<String>,
}

pub(crate) async fn create(
    State(server): State<Server>,
    Caller(identity): Caller,
    body: Result<Json<Body>, JsonRejection>,
) -> Result<(StatusCode, Json<Value>), RegistryError> {
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
    if read.is_empty() || !(1..=LONGEST).contains(&days) {
        let reason = format!("a token has a scope and lasts 1 to {LONGEST} days");
        return Err(RegistryError::Parameter(reason));
    }
    if let Some(label) = &label {
        worded("label", label)?;
    }
    let wanted = Wanted {
        scopes: read,
        days,
        label,
    };
    let (token, expires) = server.registry.issue(&identity, &wanted).await?;
    let answer = json!({
        "token": token.secret.expose_secret(),
        "id": token.id,
        "user": identity.account,
        "scopes": scopes,
        "label": wanted.label,
        "expires": crate::store::stored(expires),
    });
    Ok((StatusCode::CREATED, Json(answer)))
}

pub(crate) async fn list(
    State(server): State<Server>,
    Caller(identity): Caller,
) -> Result<Json<Value>, RegistryError> {
    let tokens = server.registry.issued(&identity).await?;
    let told: Vec<Value> = tokens
        .iter()
        .map(|each| {
            json!({
                "id": each.id,
                "user": each.account,
                "prefix": each.shown,
                "label": each.label,
                "scopes": each.scopes,
                "created": each.created,
                "expires": each.expires,
                "revoked": each.revoked,
                "current": each.id == identity.token,
            })
        })
        .collect();
    Ok(Json(json!({ "tokens": told })))
}

pub(crate) async fn revoke(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments(id): Segments<String>,
) -> Result<Json<Value>, RegistryError> {
    server.registry.revoke(&identity, &id).await?;
    Ok(Json(json!({ "id": id, "revoked": true })))
}

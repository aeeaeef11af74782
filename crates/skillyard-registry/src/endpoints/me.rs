//! `GET /me`: whom a token names.

use axum::Json;
use serde_json::{Value, json};

use crate::auth::Caller;

pub(crate) async fn me(Caller(identity): Caller) -> Json<Value> {
    let scopes: Vec<String> = identity.scopes.iter().map(ToString::to_string).collect();
    Json(json!({
        "user": identity.account,
        "token": identity.token,
        "scopes": scopes,
        "expires": identity.expires,
    }))
}

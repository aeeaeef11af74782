//! What goes wrong, as those are told it who need not know where things lie on this machine.
//!
//! The words of a problem come from everywhere: why a skill is held back, what to do about one that
//! was altered. So they are veiled in one place, on their way out.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::http::header::CONTENT_LENGTH;
use axum::response::Response;
use serde_json::Value;

use super::Role;
use crate::server::Server;
use crate::veil::Veil;
use crate::view::Viewer;
use crate::web::elsewhere;

/// The longest words of a problem, with the page around them.
const MOST_BYTES: usize = 1024 * 1024;

/// Marks an answer that says what went wrong.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wrong;

/// The answer as somebody with this role may read it.
pub(super) async fn veiled(server: &Arc<Server>, role: Role, response: Response) -> Response {
    if role == Role::Admin || response.extensions().get::<Wrong>().is_none() {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let server = Arc::clone(server);
    let read = to_bytes(body, MOST_BYTES).await;
    let body = match read {
        Ok(bytes) => elsewhere(move || over(Viewer::new(role, &server).veil(), &bytes)).await,
        Err(_) => Ok(Vec::new()),
    };
    parts.headers.remove(CONTENT_LENGTH);
    // What cannot be veiled is not told.
    Response::from_parts(parts, Body::from(body.unwrap_or_default()))
}

/// The body of an answer without the places, however they are escaped in it.
fn over(veil: &Veil, body: &[u8]) -> Vec<u8> {
    match serde_json::from_slice::<Value>(body) {
        Ok(value) => veil.value(value).to_string().into_bytes(),
        Err(_) => veil.over(&String::from_utf8_lossy(body)).into_bytes(),
    }
}

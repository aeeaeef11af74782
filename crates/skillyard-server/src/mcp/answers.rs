//! Where the library below answers otherwise than clients expect: what cannot be understood is a
//! `400` with an error of JSON-RPC, the end of a session a `204`, and a stream that goes on does not
//! begin with what its reader has.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http_body_util::BodyExt as _;

use super::batched;
use super::lines::{self, Understood, complaint};
use super::pending::asked;
use super::sessions::{Asked, Sessions, named};
use crate::problem::Problem;

/// The header that names the last event that a reader has.
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// Passes a request on, and gives the answer as clients expect it.
pub(super) async fn expected(
    State(sessions): State<Arc<Sessions>>,
    mut request: Request,
    next: Next,
) -> Response {
    match *request.method() {
        Method::POST => understood(request, next).await,
        Method::DELETE => {
            let known = match named(request.headers()) {
                Some(id) => sessions.is_live(&id).await,
                None => false,
            };
            let response = next.run(request).await;
            match (response.status(), known) {
                (StatusCode::ACCEPTED, true) => StatusCode::NO_CONTENT.into_response(),
                (StatusCode::ACCEPTED, false) => {
                    let text = "there is no such session";
                    Problem::new(StatusCode::NOT_FOUND, text).into_response()
                }
                _ => response,
            }
        }
        _ => {
            skip_known(request.headers_mut());
            next.run(request).await
        }
    }
}

/// Tells who sends what is no message so, as over standard input.
async fn understood(request: Request, next: Next) -> Response {
    let kind = request.headers().get(CONTENT_TYPE);
    let is_json = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    let (parts, body) = request.into_parts();
    let Ok(body) = body.collect().await else {
        // The gate knows whether it was too large.
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        return Problem::new(status, "the body could not be read").into_response();
    };
    let bytes = body.to_bytes();
    if is_json
        && bytes.trim_ascii_start().starts_with(b"[")
        && batched::are_spoken(&parts.headers)
        && let Understood::Batch(batch) = lines::understood(Some(&bytes))
    {
        return batched::answered(parts, batch, next).await;
    }
    let mut request = Request::from_parts(parts, Body::from(bytes.clone()));
    if let Some(id) = asked(&bytes).filter(|_| named(request.headers()).is_some()) {
        request.extensions_mut().insert(Asked(id));
    }
    let response = next.run(request).await;
    if is_json && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        return (StatusCode::BAD_REQUEST, Json(complaint(&bytes))).into_response();
    }
    response
}

/// Asks for what comes behind the last event that a reader has: the library tells that one again.
fn skip_known(headers: &mut HeaderMap) {
    let last = headers.get(LAST_EVENT).and_then(|id| id.to_str().ok());
    if let Some(next) = last.and_then(behind)
        && let Ok(next) = HeaderValue::from_str(&next)
    {
        headers.insert(LAST_EVENT, next);
    }
}

/// The id behind one, such as `2/7` behind `1/7` of the request `7`.
fn behind(id: &str) -> Option<String> {
    let (number, request) = match id.split_once('/') {
        Some((number, request)) => (number, Some(request)),
        None => (id, None),
    };
    let next = number.parse::<u64>().ok()?.checked_add(1)?;
    match request {
        Some(request) => Some(format!("{next}/{request}")),
        // Of no request, `0` is the first event and also what stands before it.
        None => (next > 1).then(|| next.to_string()),
    }
}

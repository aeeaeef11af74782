//! What holds for every answer: it comes in time, and browsers take it for what it is.

use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use skillyard_web::policy::POLICY;

use crate::error::RegistryError;
use crate::server::Server;

/// Puts an end to what takes too long, and sets the headers that every answer has.
pub(crate) async fn guard(State(server): State<Server>, request: Request, next: Next) -> Response {
    let running = next.run(request);
    let mut response = match tokio::time::timeout(server.settings.answer_time, running).await {
        Ok(response) => response,
        Err(_) => RegistryError::TooSlow.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(POLICY),
    );
    headers.insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    );
    response
}

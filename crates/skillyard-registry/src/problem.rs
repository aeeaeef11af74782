//! Errors over HTTP, as RFC 9457 has them.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::error::RegistryError;
use crate::package::Refusal;

impl IntoResponse for RegistryError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status()).unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
        let mut body = json!({
            "type": format!("urn:skillyard:registry:{}", self.kind()),
            "title": status.canonical_reason().unwrap_or_default(),
            "status": status.as_u16(),
            // Sources may tell what is inside; the phrase does not.
            "detail": self.to_string(),
        });
        match &self {
            Self::Refused(Refusal::Invalid(errors)) => body["errors"] = json!(errors),
            Self::Refused(Refusal::Findings(findings)) => body["findings"] = json!(findings),
            _ => {}
        }
        let mut response = (status, Json(body)).into_response();
        let headers = response.headers_mut();
        let kind = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, kind);
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        match self {
            Self::NoToken | Self::BadToken => {
                let challenge = HeaderValue::from_static("Bearer realm=\"skillyard\"");
                headers.insert(header::WWW_AUTHENTICATE, challenge);
            }
            Self::TooMany(seconds) => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
            }
            _ => {}
        }
        response
    }
}

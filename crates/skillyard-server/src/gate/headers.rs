//! What browsers are told to forbid on every answer.

use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use skillyard_http::policy::POLICY;

/// The answer with its policy.
pub(super) fn with_policy(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    };
    set(CONTENT_SECURITY_POLICY, POLICY);
    set(X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(X_FRAME_OPTIONS, "DENY");
    // Without any, browsers would send forms of ours without their origin.
    set(REFERRER_POLICY, "same-origin");
    set(CACHE_CONTROL, "no-store");
    let same_origin = HeaderName::from_static("cross-origin-opener-policy");
    set(same_origin, "same-origin");
    let resource = HeaderName::from_static("cross-origin-resource-policy");
    set(resource, "same-origin");
    response
}

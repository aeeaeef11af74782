//! Entity tags: who has an answer already gets the word that it has not changed.

use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use skillyard_format::Digest;
use skillyard_http::headers::matches_tag;
use skillyard_http::mount::Admitted;

use crate::extract::is_free;
use crate::server::ReadAccess;

/// Longer answers bring a tag of their own, or none.
const MAX_TAGGED_BYTES: u64 = 1024 * 1024;

/// May be kept, and is asked for again before it is used: a yank must reach everybody soon.
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("public, max-age=0, must-revalidate");
/// Is for one account alone.
const NEVER: HeaderValue = HeaderValue::from_static("private, no-store");

/// What a request says about answers that are kept.
pub(crate) struct ConditionalRequest {
    is_question: bool,
    is_personal: bool,
    /// Whether nobody reads it without a token.
    is_closed: bool,
    /// The tags of what it has already.
    known: Vec<HeaderValue>,
}

impl ConditionalRequest {
    /// What this request says to a registry.
    pub(crate) fn new(request: &Request, access: ReadAccess) -> Self {
        let headers = request.headers();
        let is_let_in = request.extensions().get::<Admitted>().is_some();
        let is_closed = access == ReadAccess::Private || is_let_in;
        let known = headers.get_all(header::IF_NONE_MATCH);
        Self {
            is_question: matches!(*request.method(), Method::GET | Method::HEAD),
            is_personal: headers.contains_key(header::AUTHORIZATION) || is_let_in,
            is_closed: is_closed && !is_free(request.uri().path()),
            known: known.iter().cloned().collect(),
        }
    }

    /// Tags the answer to a question, and says how long it may be kept.
    pub(crate) async fn respond(self, mut response: Response) -> Response {
        if !self.is_question || response.status() != StatusCode::OK {
            return response;
        }
        let set = response.headers().get(header::CACHE_CONTROL);
        let caching = match set.map(|set| set.to_str().unwrap_or_default()) {
            None if self.is_personal || self.is_closed => Some(NEVER),
            None => Some(ASK_AGAIN),
            // A cache between us would give it to whoever comes without a token.
            Some(set) if self.is_closed => Some(unshared(set)),
            Some(_) => None,
        };
        if let Some(caching) = caching {
            let headers = response.headers_mut();
            headers.insert(header::CACHE_CONTROL, caching);
        }
        response = with_tag(response).await;
        let tag = response.headers().get(header::ETAG);
        let Some(tag) = tag.and_then(|tag| tag.to_str().ok()) else {
            return response;
        };
        let known = self.known.iter().filter_map(|each| each.to_str().ok());
        if matches_tag(known, tag) {
            return unchanged(response.headers());
        }
        response
    }
}

/// The same for the cache of who asked alone.
fn unshared(caching: &str) -> HeaderValue {
    let own = caching.replacen("public", "private", 1);
    HeaderValue::from_str(&own).unwrap_or(NEVER)
}

/// The answer with a tag over its bytes, unless it has one or is long.
async fn with_tag(response: Response) -> Response {
    let length = response.body().size_hint().exact();
    let is_short = length.is_some_and(|length| (1..=MAX_TAGGED_BYTES).contains(&length));
    if response.headers().contains_key(header::ETAG) || !is_short {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let tag = format!("\"{}\"", &Digest::of(&bytes).to_hex()[..32]);
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        parts.headers.insert(header::ETAG, tag);
    }
    Response::from_parts(parts, Body::from(bytes))
}

/// Only the headers that say what has not changed.
fn unchanged(headers: &HeaderMap) -> Response {
    let mut response = StatusCode::NOT_MODIFIED.into_response();
    for name in [header::ETAG, header::CACHE_CONTROL, header::VARY] {
        if let Some(value) = headers.get(&name) {
            response.headers_mut().insert(name, value.clone());
        }
    }
    response
}

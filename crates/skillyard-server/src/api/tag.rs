//! Entity tags: who has the answer already does not get it again.

use axum::Json;
use axum::http::header::{CACHE_CONTROL, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use skillyard_format::package::Digest;
use skillyard_http::tag::is_known;

use crate::problem::Problem;

/// `value` with its tag, or only the word that it has not changed.
pub(super) fn tagged(headers: &HeaderMap, value: &impl Serialize) -> Result<Response, Problem> {
    let failed = |_| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the answer has no JSON");
    let value = serde_json::to_value(value).map_err(failed)?;
    let tag = format!(
        "\"{}\"",
        &Digest::of(value.to_string().as_bytes()).to_hex()[..32]
    );
    let known = headers.get_all(IF_NONE_MATCH).iter();
    let known = known.filter_map(|known| known.to_str().ok());
    let is_known = is_known(known, &tag);
    let head = [(ETAG, tag), (CACHE_CONTROL, "private, no-cache".to_owned())];
    if is_known {
        return Ok((StatusCode::NOT_MODIFIED, head).into_response());
    }
    Ok((head, Json(value)).into_response())
}

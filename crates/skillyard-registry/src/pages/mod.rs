//! Pages for people: made on the server, without a line of script.

pub(crate) mod home;
mod markdown;
pub(crate) mod owner;
pub(crate) mod skill;

use askama::Template;
use axum::http::{HeaderValue, header};
use axum::response::{Html, IntoResponse as _, Response};

use crate::error::RegistryError;

const STYLE: &str = include_str!("../../assets/style.css");

/// The one style sheet.
pub(crate) async fn style() -> Response {
    let mut response = STYLE.into_response();
    let kind = HeaderValue::from_static("text/css; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    let caching = HeaderValue::from_static("public, max-age=3600");
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, caching);
    response
}

fn page(template: &impl Template) -> Result<Response, RegistryError> {
    let text = template.render().map_err(RegistryError::internal)?;
    Ok(Html(text).into_response())
}

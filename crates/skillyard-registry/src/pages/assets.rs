//! `GET /assets/{file}`: what pages load, inside the binary.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use skillyard_http::assets::{Asset, MARK, SEARCH, STYLE};

use crate::error::RegistryError;
use crate::segments::Segments;

const FILES: &[Asset] = &[
    STYLE,
    SEARCH,
    MARK,
    Asset::style("registry.css", include_str!("../../assets/registry.css")),
    Asset::script("registry.js", include_str!("../../assets/registry.js")),
];

/// Fetch a style sheet, a script or a picture of the pages
#[utoipa::path(get, path = "/assets/{file}", tag = "pages",
    params(("file" = String, Path, description = "its name")),
    responses((status = 200, description = "the file")))]
pub(crate) async fn asset(Segments(name): Segments<String>) -> Result<Response, RegistryError> {
    let file = FILES.iter().find(|file| file.name == name);
    let file = file.ok_or(RegistryError::NoRoute)?;
    // Short, because a new binary brings new files under the old names.
    let caching = "public, max-age=300, must-revalidate";
    let headers = [(CONTENT_TYPE, file.media_type), (CACHE_CONTROL, caching)];
    Ok((headers, file.text).into_response())
}

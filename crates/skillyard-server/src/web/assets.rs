//! The files that pages load, inside the binary.

use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use skillyard_web::assets::{Asset, MARK, SEARCH, STYLE};

const FILES: &[Asset] = &[
    STYLE,
    SEARCH,
    MARK,
    Asset::script("chat.js", include_str!("../../assets/chat.js")),
];

/// `GET /assets/{file}`.
pub(crate) async fn file(Path(name): Path<String>) -> Response {
    match FILES.iter().find(|file| file.name == name) {
        Some(file) => {
            // Short, because a new binary brings new files under the old names.
            let headers = [
                (CONTENT_TYPE, file.media_type),
                (CACHE_CONTROL, "max-age=300"),
            ];
            (headers, file.text).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

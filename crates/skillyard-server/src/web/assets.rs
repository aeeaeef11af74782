//! The files that pages load, inside the binary.

use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use skillyard_http::assets::{Asset, MARK, SEARCH, STYLE};

use super::PathInput;

const FILES: &[Asset] = &[
    STYLE,
    SEARCH,
    MARK,
    Asset::script("chat.js", include_str!("../../assets/chat.js")),
    Asset::script("cards.js", include_str!("../../assets/cards.js")),
    Asset::script("dom.js", include_str!("../../assets/dom.js")),
    Asset::script("draft.js", include_str!("../../assets/draft.js")),
    Asset::script("forms.js", include_str!("../../assets/forms.js")),
    Asset::script("follow.js", include_str!("../../assets/follow.js")),
    Asset::script("markdown.js", include_str!("../../assets/markdown.js")),
    Asset::script("menu.js", include_str!("../../assets/menu.js")),
];

/// `GET /favicon.ico`, for pages that name no picture of their own.
pub(crate) async fn icon() -> Response {
    file(PathInput("mark.svg".to_owned())).await
}

/// `GET /assets/{file}`.
pub(crate) async fn file(PathInput(name): PathInput<String>) -> Response {
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

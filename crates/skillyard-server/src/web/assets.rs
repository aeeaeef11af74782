//! The files that pages load, inside the binary.

use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

const FILES: &[(&str, &str, &str)] = &[
    (
        "style.css",
        "text/css; charset=utf-8",
        include_str!("../../assets/style.css"),
    ),
    (
        "cards.js",
        "text/javascript; charset=utf-8",
        include_str!("../../assets/cards.js"),
    ),
    (
        "chat.js",
        "text/javascript; charset=utf-8",
        include_str!("../../assets/chat.js"),
    ),
    (
        "dom.js",
        "text/javascript; charset=utf-8",
        include_str!("../../assets/dom.js"),
    ),
    (
        "library.js",
        "text/javascript; charset=utf-8",
        include_str!("../../assets/library.js"),
    ),
    (
        "markdown.js",
        "text/javascript; charset=utf-8",
        include_str!("../../assets/markdown.js"),
    ),
    (
        "menu.js",
        "text/javascript; charset=utf-8",
        include_str!("../../assets/menu.js"),
    ),
    (
        "mark.svg",
        "image/svg+xml",
        include_str!("../../assets/mark.svg"),
    ),
];

/// `GET /favicon.ico`, for pages that name no picture of their own.
pub(crate) async fn icon() -> Response {
    file(Path("mark.svg".to_owned())).await
}

/// `GET /assets/{file}`.
pub(crate) async fn file(Path(name): Path<String>) -> Response {
    match FILES.iter().find(|(each, ..)| *each == name) {
        Some((_, kind, text)) => {
            // Short, because a new binary brings new files under the old names.
            let headers = [(CONTENT_TYPE, *kind), (CACHE_CONTROL, "max-age=300")];
            (headers, *text).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

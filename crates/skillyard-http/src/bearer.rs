//! How programs send tokens, as a document of an API says it.

use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};

/// What the documents call it.
pub const NAME: &str = "token";

/// A token in `Authorization: Bearer …`; the words say which.
pub fn scheme(words: &str) -> SecurityScheme {
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some(words));
    SecurityScheme::Http(bearer.build())
}

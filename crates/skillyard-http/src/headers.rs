//! Headers that both servers use: entity tags, the content security policy, bearer tokens.

use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};

/// Whether one of the values of `If-None-Match` names `tag`.
pub fn matches_tag<'a>(values: impl IntoIterator<Item = &'a str>, tag: &str) -> bool {
    let plain = |text: &'a str| text.trim().trim_start_matches("W/");
    values
        .into_iter()
        .flat_map(|value| value.split(','))
        .map(plain)
        .any(|known| known == tag.trim_start_matches("W/") || known == "*")
}

/// Nothing from elsewhere, and no script or style but our own files.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What the documents call it.
pub const BEARER_NAME: &str = "token";

/// A token in `Authorization: Bearer …`; the words say which.
pub fn bearer_scheme(words: &str) -> SecurityScheme {
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some(words));
    SecurityScheme::Http(bearer.build())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_known_in_a_list_weak_or_by_the_star() {
        for header in ["\"a\"", "\"b\", \"a\"", "W/\"a\"", "*"] {
            assert!(matches_tag([header], "\"a\""), "{header}");
        }
        assert!(matches_tag(["\"b\"", "\"a\""], "W/\"a\""));
        assert!(!matches_tag(["\"b\"", "a"], "\"a\""));
        assert!(!matches_tag([], "\"a\""));
    }
}

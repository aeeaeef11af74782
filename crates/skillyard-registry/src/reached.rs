//! Where a registry is reached: as its settings say, or as the server around it does.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use skillyard_http::mount::Place;
use url::Url;

use crate::server::Server;

/// Where whoever asks reaches the registry, without a slash at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reached(pub(crate) String);

impl FromRequestParts<Server> for Reached {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, server: &Server) -> Result<Self, Infallible> {
        let place = parts.extensions.get::<Place>();
        Ok(Self(place.map_or_else(
            || server.settings.url.clone(),
            |Place(url)| url.clone(),
        )))
    }
}

/// What stands before each path of a registry that is reached at `url`; nothing at the root.
pub(crate) fn below(url: &str) -> String {
    let parsed = Url::parse(url).ok();
    let path = parsed.as_ref().map_or("", Url::path);
    path.trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_stands_at_the_root_or_below() {
        for (url, expected) in [
            ("https://skills.example", ""),
            ("https://skills.example/", ""),
            ("http://127.0.0.1:7878/registry", "/registry"),
            ("https://skills.example/a/b/", "/a/b"),
            ("banana", ""),
        ] {
            assert_eq!(below(url), expected, "{url}");
        }
    }
}

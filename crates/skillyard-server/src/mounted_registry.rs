//! A registry below an address of ours. It knows that it stands there, and is told under which
//! name it was asked.

use axum::Router;
use axum::extract::Request;
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, HOST};
use axum::http::uri::Authority;
use axum::middleware::map_request;
use skillyard_http::mount::MountUrl;
use skillyard_http::origin::is_https;

/// Where a registry stands.
pub(crate) const REGISTRY: &str = "/registry";

/// A registry that stands below `/registry`.
#[derive(Clone)]
pub struct MountedRegistry {
    /// What it answers to, as something that stands there.
    pub router: Router,
    /// Who may read it.
    pub readers: Readers,
}

/// Who may read a registry that stands below a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Everybody who reaches the server.
    Everybody,
    /// Whoever the server knows, and whoever has a token of the registry itself.
    Known,
}

/// The registry's routes, for a place below [`REGISTRY`].
pub(crate) fn mounted(registry: Router) -> Router {
    registry.layer(map_request(placed))
}

/// Whether a path leads into the registry, which asks for tokens of its own.
pub(crate) fn is_registry(path: &str) -> bool {
    let behind = path.strip_prefix(REGISTRY);
    behind.is_some_and(|behind| behind.is_empty() || behind.starts_with('/'))
}

/// Whether a request shows a token of the registry, which is for the registry to judge.
pub(crate) fn has_registry_token(headers: &HeaderMap) -> bool {
    let value = headers.get(AUTHORIZATION);
    let token = value.and_then(|value| value.to_str().ok()?.split_once(' '));
    token.is_some_and(|(_, token)| token.trim_start().starts_with("sky_"))
}

/// Tells the registry by which name it was asked, which the gate has looked at.
async fn placed(mut request: Request) -> Request {
    if let Some(url) = url(&request) {
        request.extensions_mut().insert(MountUrl(url));
    }
    request
}

/// Where whoever asks reaches the registry; nothing where that cannot be said in plain letters,
/// because it stands in addresses and in commands to copy.
fn url(request: &Request) -> Option<String> {
    let named = request.headers().get(HOST);
    let named = named.and_then(|host| host.to_str().ok());
    let host = named.or(request.uri().authority().map(Authority::as_str))?;
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-._:[]".contains(letter);
    if host.is_empty() || !host.chars().all(is_plain) {
        return None;
    }
    let scheme = if is_https(request.headers()) {
        "https"
    } else {
        "http"
    };
    Some(format!("{scheme}://{host}{REGISTRY}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    #[test]
    fn only_plain_names_reach_links() {
        let asked = |host: &str| {
            let request = Request::builder().header(HOST, host);
            url(&request.body(Body::empty()).unwrap())
        };
        let expected = Some("http://skills.example:7878/registry".to_owned());
        assert_eq!(asked("skills.example:7878"), expected);
        assert_eq!(asked("[::1]:1"), Some("http://[::1]:1/registry".into()));
        for host in ["", "x;rm", "x y", "x/../y", "x\"y", "a@b", "$(id)"] {
            assert_eq!(asked(host), None, "{host}");
        }
    }

    #[test]
    fn only_what_stands_below_is_of_the_registry() {
        assert!(is_registry("/registry") && is_registry("/registry/view/x"));
        assert!(!is_registry("/registryx") && !is_registry("/skills/registry/"));
    }
}

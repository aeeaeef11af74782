//! Who asks: `Authorization: Bearer sky_…`.

use axum::extract::{FromRequestParts, Request};
use axum::http::header;
use axum::http::request::Parts;
use skillyard_http::mount::LetIn;

use crate::begun::is_question;
use crate::entrance;
use crate::error::RegistryError;
use crate::server::{Access, Server};
use crate::token::Identity;

/// Somebody with a good token.
pub(crate) struct Caller(pub(crate) Identity);

impl FromRequestParts<Server> for Caller {
    type Rejection = RegistryError;

    async fn from_request_parts(parts: &mut Parts, server: &Server) -> Result<Self, RegistryError> {
        let header = parts.headers.get(header::AUTHORIZATION);
        let header = header.ok_or(RegistryError::NoToken)?.to_str();
        let (scheme, token) = header
            .ok()
            .and_then(|text| text.split_once(' '))
            .ok_or(RegistryError::BadToken)?;
        // `token …` is how other tools write it.
        if !scheme.eq_ignore_ascii_case("bearer") && !scheme.eq_ignore_ascii_case("token") {
            return Err(RegistryError::BadToken);
        }
        Ok(Self(server.registry.identify(token.trim()).await?))
    }
}

/// The request, unless it comes without a token to a registry that is not for everybody.
pub(crate) async fn let_in(server: &Server, request: Request) -> Result<Request, RegistryError> {
    if server.settings.access == Access::Open
        || is_free(request.uri().path())
        || request.extensions().get::<LetIn>().is_some()
    {
        return Ok(request);
    }
    let (mut parts, body) = request.into_parts();
    // A cookie reads; browsers send it of themselves, so it does nothing else.
    let may_read = is_question(&parts.method) && !parts.headers.contains_key(header::AUTHORIZATION);
    if may_read && let Some(login) = entrance::known(server, &parts.headers).await? {
        parts.extensions.insert(login);
    } else {
        Caller::from_request_parts(&mut parts, server).await?;
    }
    Ok(Request::from_parts(parts, body))
}

/// Whether everybody gets what is at a path. Whether the registry is alive is no secret, and load
/// balancers have no token; and whoever is told that they need one is told on a page, whose looks
/// are everybody's, or logs in.
pub(crate) fn is_free(path: &str) -> bool {
    matches!(path, "/health" | "/ready" | "/login" | "/logout") || path.starts_with("/assets/")
}

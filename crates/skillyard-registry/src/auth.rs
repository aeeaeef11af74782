//! Who asks: `Authorization: Bearer sky_…`.

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;

use crate::error::RegistryError;
use crate::server::Server;
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

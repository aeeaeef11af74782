//! Who asks: by the place they ask from, a token or a cookie.

use std::net::IpAddr;
use std::time::Instant;

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};

use crate::access::{Access, COOKIE, Holder};
use crate::server::Server;

/// How somebody showed who they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Place,
    Bearer,
    Cookie,
}

/// Who asks, as far as they showed it.
pub(super) struct Identity {
    /// Who they are; nobody known without one.
    pub(super) holder: Option<Holder>,
    /// How they showed it.
    pub(super) by: By,
    /// The session that their cookie names.
    pub(super) session: String,
}

/// Finds out who asks; refuses those who guess.
pub(super) fn identify(
    server: &Server,
    headers: &HeaderMap,
    peer: Option<IpAddr>,
) -> Result<Identity, StatusCode> {
    let tokens = match server.access() {
        Access::Loopback => {
            return Ok(Identity {
                holder: Some(Holder::user()),
                by: By::Place,
                session: String::new(),
            });
        }
        Access::Tokens(tokens) => tokens,
    };
    let authorization = headers.get(AUTHORIZATION);
    if let Some(value) = authorization.and_then(|value| value.to_str().ok()) {
        let token = match value.split_once(' ') {
            Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
            _ => "",
        };
        let holder = tokens.holder(token);
        // Right tokens cost nothing, so that only guessing is slowed down.
        if holder.is_none() && peer.is_some_and(|peer| !server.guesses.take(peer, Instant::now())) {
            return Err(StatusCode::TOO_MANY_REQUESTS);
        }
        return Ok(Identity {
            holder,
            by: By::Bearer,
            session: String::new(),
        });
    }
    let value = COOKIE.value(headers).unwrap_or_default();
    Ok(Identity {
        holder: server.logins.holder(&tokens, value),
        by: By::Cookie,
        session: value.to_owned(),
    })
}

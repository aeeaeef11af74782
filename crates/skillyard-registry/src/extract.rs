//! Extractors: the caller and their token, the peer, the public URL, the parts of an address.

use std::convert::Infallible;
use std::net::IpAddr;

use axum::extract::{FromRequestParts, Path, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, header};
use serde::de::DeserializeOwned;
use skillyard_http::headers::matches_tag;
use skillyard_http::mount::{Admitted, MountUrl};

use crate::browser_login;
use crate::error::RegistryError;
use crate::rate::{address, network};
use crate::server::{ReadAccess, Server};
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
    if server.settings.access == ReadAccess::Open
        || is_free(request.uri().path())
        || request.extensions().get::<Admitted>().is_some()
    {
        return Ok(request);
    }
    let (mut parts, body) = request.into_parts();
    // A cookie reads; browsers send it of themselves, so it does nothing else.
    let may_read = parts.method.is_safe() && !parts.headers.contains_key(header::AUTHORIZATION);
    if may_read && let Some(login) = browser_login::known(server, &parts.headers).await? {
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

/// Who is at the other end, as far as it is known.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    /// Their address, or the network that it is in.
    pub(crate) address: Option<IpAddr>,
    /// The account that a good token names.
    pub(crate) account: Option<String>,
    /// The tags of what they have already; none where they ask only about it.
    known: Option<Vec<HeaderValue>>,
}

impl Peer {
    /// Whether they take an answer with this tag: a download is nothing else.
    pub(crate) fn takes(&self, tag: &str) -> bool {
        let is_new = |known: &Vec<HeaderValue>| {
            let known = known.iter().filter_map(|each| each.to_str().ok());
            !matches_tag(known, tag)
        };
        self.known.as_ref().is_some_and(is_new)
    }
}

impl FromRequestParts<Server> for Peer {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, server: &Server) -> Result<Self, Infallible> {
        // A token that is not good says nothing; a download needs none.
        let caller = Caller::from_request_parts(parts, server).await.ok();
        let address = address(&parts.extensions, &parts.headers, server.settings.proxy);
        Ok(Self {
            address: address.map(network),
            account: caller.map(|caller| caller.0.account),
            known: (parts.method == Method::GET).then(|| {
                let known = parts.headers.get_all(header::IF_NONE_MATCH);
                known.iter().cloned().collect()
            }),
        })
    }
}

/// Where whoever asks reaches the registry, without a slash at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PublicUrl(pub(crate) String);

impl FromRequestParts<Server> for PublicUrl {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, server: &Server) -> Result<Self, Infallible> {
        let place = parts.extensions.get::<MountUrl>();
        Ok(Self(place.map_or_else(
            || server.settings.url.clone(),
            |MountUrl(url)| url.clone(),
        )))
    }
}

/// The variable parts of an address.
pub(crate) struct Segments<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Segments<T> {
    type Rejection = RegistryError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, RegistryError> {
        let path = Path::<T>::from_request_parts(parts, state).await;
        path.map(|path| Self(path.0))
            .map_err(|_| RegistryError::NoRoute)
    }
}

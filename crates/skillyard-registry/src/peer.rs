//! Where a request comes from.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::Extensions;
use axum::http::request::Parts;

/// The address at the other end of the connection, where there is one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) Option<IpAddr>);

impl Peer {
    /// The peer of a request with these extensions.
    pub(crate) fn of(extensions: &Extensions) -> Self {
        let connection = extensions.get::<ConnectInfo<SocketAddr>>();
        Self(connection.map(|connection| connection.0.ip()))
    }
}

impl<S: Sync> FromRequestParts<S> for Peer {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.extensions))
    }
}

//! Where a request comes from, and from whom.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderValue, Method, header};
use skillyard_http::tag::is_known;

use crate::auth::Caller;
use crate::server::{Proxy, Server};

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
            !is_known(known, tag)
        };
        self.known.as_ref().is_some_and(is_new)
    }
}

/// The address that a request comes from: the connection's, or what a trusted proxy says.
pub(crate) fn address(
    extensions: &Extensions,
    headers: &HeaderMap,
    proxy: Proxy,
) -> Option<IpAddr> {
    let connection = extensions.get::<ConnectInfo<SocketAddr>>();
    let connection = connection.map(|connection| connection.0.ip());
    proxy.address(connection, headers)
}

/// Whoever has an IPv6 address has a whole network of them.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => {
            let bits = address.to_bits() >> 64 << 64;
            IpAddr::V6(bits.into())
        }
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

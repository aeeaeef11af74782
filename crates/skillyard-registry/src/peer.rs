//! Where a request comes from, and from whom.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap};

use crate::auth::Caller;
use crate::server::{Proxy, Server};

/// Who is at the other end, as far as it is known.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    /// Their address.
    pub(crate) address: Option<IpAddr>,
    /// The account that a good token names.
    pub(crate) account: Option<String>,
}

/// The address that a request comes from: the connection's, or what a trusted proxy says.
pub(crate) fn address(
    extensions: &Extensions,
    headers: &HeaderMap,
    proxy: Proxy,
) -> Option<IpAddr> {
    let connection = extensions.get::<ConnectInfo<SocketAddr>>();
    let connection = connection.map(|connection| connection.0.ip());
    match proxy {
        Proxy::None => connection,
        // Whatever stands further left, anybody could have written.
        Proxy::Trusted => {
            let told = headers.get_all("x-forwarded-for").iter().next_back();
            let told = told.and_then(|value| value.to_str().ok()?.rsplit(',').next());
            let told = told.and_then(|text| text.trim().parse().ok());
            told.or(connection)
        }
    }
}

impl FromRequestParts<Server> for Peer {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, server: &Server) -> Result<Self, Infallible> {
        // A token that is not good says nothing; a download needs none.
        let caller = Caller::from_request_parts(parts, server).await.ok();
        Ok(Self {
            address: address(&parts.extensions, &parts.headers, server.settings.proxy),
            account: caller.map(|caller| caller.0.account),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_word_of_a_trusted_proxy_counts() {
        let mut extensions = Extensions::new();
        extensions.insert(ConnectInfo(SocketAddr::from(([10, 0, 0, 1], 80))));
        let mut headers = HeaderMap::new();
        let told =
            |headers: &HeaderMap, proxy| address(&extensions, headers, proxy).unwrap().to_string();
        assert_eq!(told(&headers, Proxy::Trusted), "10.0.0.1");
        headers.insert("x-forwarded-for", "1.1.1.1, 2.2.2.2".parse().unwrap());
        assert_eq!(told(&headers, Proxy::Trusted), "2.2.2.2");
        assert_eq!(told(&headers, Proxy::None), "10.0.0.1");
        headers.append("x-forwarded-for", "3.3.3.3".parse().unwrap());
        assert_eq!(told(&headers, Proxy::Trusted), "3.3.3.3");
        headers.append("x-forwarded-for", "nonsense".parse().unwrap());
        assert_eq!(told(&headers, Proxy::Trusted), "10.0.0.1");
    }
}

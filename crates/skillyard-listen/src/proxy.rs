//! What stands before a server, and whom it speaks for.

use std::net::IpAddr;

use axum::http::HeaderMap;

/// What stands before a server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Proxy {
    /// Nothing: a request comes from where its connection comes from.
    #[default]
    None,
    /// A proxy that says in `X-Forwarded-For` who asked it.
    Trusted,
}

impl Proxy {
    /// The address that a request comes from: the connection's, or what a trusted proxy says.
    pub fn address(self, connection: Option<IpAddr>, headers: &HeaderMap) -> Option<IpAddr> {
        match self {
            Self::None => connection,
            // Whatever stands further left, anybody could have written.
            Self::Trusted => {
                let told = headers.get_all("x-forwarded-for").iter().next_back();
                let told = told.and_then(|value| value.to_str().ok()?.rsplit(',').next());
                let told = told.and_then(|text| text.trim().parse().ok());
                told.or(connection)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_word_of_a_trusted_proxy_counts() {
        let connection = Some(IpAddr::from([10, 0, 0, 1]));
        let mut headers = HeaderMap::new();
        let told = |headers: &HeaderMap, proxy: Proxy| {
            let address = proxy.address(connection, headers);
            address.unwrap().to_string()
        };
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

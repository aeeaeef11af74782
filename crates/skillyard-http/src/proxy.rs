//! What stands before a server, and whom it speaks for.

use std::net::{IpAddr, SocketAddr};

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
        let address = match self {
            Self::None => connection,
            // Whatever stands further left, anybody could have written.
            Self::Trusted => {
                let told = headers.get_all("x-forwarded-for").iter().next_back();
                let told = told.and_then(|value| value.to_str().ok()?.rsplit(',').next());
                told.and_then(read).or(connection)
            }
        };
        // Who listens for both sees clients of IPv4 as `::ffff:203.0.113.7`.
        address.map(|address| address.to_canonical())
    }
}

/// An address as proxies write it: alone, in brackets, or with a port.
fn read(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let with_port = || Some(text.parse::<SocketAddr>().ok()?.ip());
    let bare = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let address = bare.unwrap_or(text).parse().ok();
    address.or_else(with_port)
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

    #[test]
    fn an_address_is_one_however_it_is_written() {
        for (text, expected) in [
            ("203.0.113.7:4711", "203.0.113.7"),
            ("::ffff:203.0.113.7", "203.0.113.7"),
            ("[::ffff:203.0.113.7]:4711", "203.0.113.7"),
            ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:db8::1]:4711", "2001:db8::1"),
            // What is none says nothing: then it is the connection's, here one of both kinds.
            ("[203.0.113.7", "10.0.0.1"),
            ("unknown", "10.0.0.1"),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("x-forwarded-for", text.parse().unwrap());
            let connection = "::ffff:10.0.0.1".parse().ok();
            let address = Proxy::Trusted.address(connection, &headers);
            assert_eq!(address.unwrap().to_string(), expected, "{text}");
        }
        let connection = "::ffff:10.0.0.1".parse().ok();
        let address = Proxy::None.address(connection, &HeaderMap::new());
        assert_eq!(address, Some(IpAddr::from([10, 0, 0, 1])));
    }
}

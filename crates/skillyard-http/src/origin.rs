//! Where a request comes from: the host it names, the site of the page that sent it, and the address
//! of its client behind a trusted proxy.
//!
//! A page of another site can be given a name that leads here (DNS rebinding), but it cannot send
//! another `Host` than that name.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderValue};

/// Why a request is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// It names another host.
    Host,
    /// It comes from a page of another site.
    Origin,
}

/// What a browser said about where a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    /// A page of ours, or the address bar.
    Browser,
    /// A program.
    Program,
}

/// Looks at Host, Origin and `Sec-Fetch-Site`; `authority` is that of the request's line, if it has
/// one.
pub fn check(
    headers: &HeaderMap,
    authority: Option<&str>,
    loopback_only: bool,
) -> Result<Sender, Foreign> {
    let host = named_host(headers, authority).ok_or(Foreign::Host)?;
    if loopback_only && !is_loopback(host) {
        return Err(Foreign::Host);
    }
    sender(headers, &[host])
}

/// Looks at Origin and `Sec-Fetch-Site`, for a site that is known by the names of `hosts`.
pub fn sender(headers: &HeaderMap, hosts: &[&str]) -> Result<Sender, Foreign> {
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    let mode = headers.get("sec-fetch-mode").map(HeaderValue::as_bytes);
    // A link on another page may lead here; its scripts may not.
    let foreign_site = matches!(site, Some(b"cross-site" | b"same-site"));
    if foreign_site && mode != Some(b"navigate") {
        return Err(Foreign::Origin);
    }
    let Some(origin) = headers.get(ORIGIN) else {
        return Ok(if site.is_some() {
            Sender::Browser
        } else {
            Sender::Program
        });
    };
    let origin = origin.to_str().map_err(|_| Foreign::Origin)?;
    let authority = origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"));
    let is_ours = |authority: &str| {
        hosts
            .iter()
            .any(|host| authority.eq_ignore_ascii_case(host))
    };
    match authority {
        Some(authority) if is_ours(authority) => Ok(Sender::Browser),
        _ => Err(Foreign::Origin),
    }
}

/// Whether the client uses TLS, as a proxy or the `Origin` of the page says. A client that lies about
/// it changes only its own links and cookie.
pub fn is_https(headers: &HeaderMap) -> bool {
    let forwarded = headers.get("x-forwarded-proto").map(HeaderValue::as_bytes);
    let origin = headers.get(ORIGIN).map(HeaderValue::as_bytes);
    forwarded.is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"https"))
        || origin.is_some_and(|origin| origin.starts_with(b"https://"))
}

/// The host that a request names; `authority` is that of its line, if it has one. None where it
/// names no host, or several.
pub fn named_host<'a>(headers: &'a HeaderMap, authority: Option<&'a str>) -> Option<&'a str> {
    let mut hosts = headers.get_all(HOST).iter();
    let named = hosts.next().and_then(|host| host.to_str().ok());
    match (authority, named, hosts.next()) {
        (Some(authority), None, _) => Some(authority),
        (None, Some(host), None) => Some(host),
        (Some(authority), Some(host), None) if authority.eq_ignore_ascii_case(host) => Some(host),
        _ => None,
    }
}

/// Whether a host's name is one of this machine.
pub fn is_loopback(host: &str) -> bool {
    let name = parts(host).0;
    // Only whole addresses: shorter ways to write them are names to some.
    let address = name.parse::<Ipv4Addr>();
    name == "[::1]"
        || name.eq_ignore_ascii_case("localhost")
        || address.is_ok_and(|address| address.is_loopback())
}

/// The port that a host is named with.
pub fn port(host: &str) -> Option<u16> {
    parts(host).1?.parse().ok()
}

fn parts(host: &str) -> (&str, Option<&str>) {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (name, Some(port)),
        _ => (host, None),
    }
}

/// The reverse proxy of a server.
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
            // Clients can write everything further left.
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

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    fn check_loopback(pairs: &[(&'static str, &'static str)], expected: Result<Sender, Foreign>) {
        assert_eq!(check(&headers(pairs), None, true), expected, "{pairs:?}");
    }

    #[test]
    fn names_of_this_machine_are_answered() {
        for host in [
            "localhost:7878",
            "LOCALHOST",
            "127.0.0.1:1",
            "127.0.0.2:7878",
            "127.255.0.9",
            "[::1]:7878",
        ] {
            check_loopback(&[("host", host)], Ok(Sender::Program));
        }
    }

    #[test]
    fn rebound_names_are_not() {
        for host in [
            "evil.example:7878",
            "localhost.evil.example",
            "127.0.0.1.nip.io:7878",
            "127.0.0.1@evil.example",
            "[::1].evil.example",
            "0.0.0.0:7878",
            "128.0.0.1",
            "127.1",
            "127.0.0.01",
            "",
        ] {
            check_loopback(&[("host", host)], Err(Foreign::Host));
        }
        check_loopback(&[], Err(Foreign::Host));
        check_loopback(
            &[("host", "localhost"), ("host", "evil.example")],
            Err(Foreign::Host),
        );
    }

    #[test]
    fn pages_of_other_sites_are_not_answered() {
        let own = ("host", "localhost:7878");
        check_loopback(
            &[own, ("origin", "http://localhost:7878")],
            Ok(Sender::Browser),
        );
        for origin in [
            "http://evil.example",
            "http://localhost:9999",
            "http://localhost:7878.evil.example",
            "null",
            "file://",
            "https://localhost",
        ] {
            check_loopback(&[own, ("origin", origin)], Err(Foreign::Origin));
        }
        check_loopback(
            &[
                own,
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-mode", "no-cors"),
            ],
            Err(Foreign::Origin),
        );
        check_loopback(
            &[
                own,
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-mode", "navigate"),
            ],
            Ok(Sender::Browser),
        );
    }

    #[test]
    fn the_line_of_a_request_and_its_host_agree() {
        let own = headers(&[("host", "localhost:7878")]);
        assert_eq!(
            check(&own, Some("localhost:7878"), true),
            Ok(Sender::Program)
        );
        assert_eq!(check(&own, Some("evil.example"), true), Err(Foreign::Host));
    }

    #[test]
    fn a_port_is_told_from_an_address() {
        for (host, expected) in [
            ("localhost:7878", Some(7878)),
            ("[::1]:1", Some(1)),
            ("[::1]", None),
            ("skills.example", None),
            ("x:", None),
            ("x:99999", None),
        ] {
            assert_eq!(port(host), expected, "{host}");
        }
    }

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

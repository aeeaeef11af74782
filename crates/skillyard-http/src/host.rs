//! The name that a request asks for.
//!
//! A page of another site can be given a name that leads here (DNS rebinding); what it cannot do
//! is send another Host than that name.

use std::net::Ipv4Addr;

use axum::http::HeaderMap;
use axum::http::header::HOST;

/// The host that a request names; `authority` is that of its line, if it has one. None where it
/// names no host, or several.
pub fn named<'a>(headers: &'a HeaderMap, authority: Option<&'a str>) -> Option<&'a str> {
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

#[cfg(test)]
mod tests {
    use super::*;

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
}

//! Host and Origin: whether a request comes from a page of ours, or from none.

use crate::host;
use axum::http::header::ORIGIN;
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
    let host = host::named(headers, authority).ok_or(Foreign::Host)?;
    if loopback_only && !host::is_loopback(host) {
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

/// Whether whoever asks does so over TLS: a proxy in front says so, or the page that asks is of such
/// an address. Whoever pretends only gets other links and a stricter cookie themselves.
pub fn is_https(headers: &HeaderMap) -> bool {
    let forwarded = headers.get("x-forwarded-proto").map(HeaderValue::as_bytes);
    let origin = headers.get(ORIGIN).map(HeaderValue::as_bytes);
    forwarded.is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"https"))
        || origin.is_some_and(|origin| origin.starts_with(b"https://"))
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
}

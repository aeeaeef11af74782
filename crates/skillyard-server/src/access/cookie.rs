//! The cookie of a login.
//!
//! Browsers keep cookies by the name of a host alone, so that its port is a part of the cookie's
//! name: two servers of one machine would log each other out.

use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use skillyard_listen::host;

use super::is_https;

/// The value of the cookie of a login here.
pub(crate) fn value(headers: &HeaderMap) -> Option<&str> {
    let name = name(headers);
    let all = headers.get_all(COOKIE).iter();
    all.filter_map(|header| header.to_str().ok())
        .flat_map(|header| header.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(key, value)| (key == name).then_some(value))
}

/// The cookie as a browser is told to keep it for so many seconds.
pub(crate) fn kept(headers: &HeaderMap, value: &str, seconds: u64) -> String {
    let name = name(headers);
    let secure = if is_https(headers) { "; Secure" } else { "" };
    format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}")
}

fn name(headers: &HeaderMap) -> String {
    match host::named(headers, None).and_then(host::port) {
        Some(port) => format!("skillyard-{port}"),
        None => "skillyard".to_owned(),
    }
}

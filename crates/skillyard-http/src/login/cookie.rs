//! The cookie of a login.
//!
//! Browsers keep cookies by the name of a host alone, so that its port is a part of the cookie's
//! name: two servers of one machine would log each other out.

use crate::host;
use axum::http::HeaderMap;
use axum::http::header::COOKIE;

/// A cookie, as browsers are to keep it.
#[derive(Debug, Clone, Copy)]
pub struct Cookie<'a> {
    /// What it is called, before the port.
    pub name: &'static str,
    /// Below which path it is sent.
    pub path: &'a str,
    /// Who is let in with it.
    pub arrivals: Arrivals,
}

/// With whose links a browser sends a cookie; none is sent with what another site asks for by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrivals {
    /// With those of our own pages.
    Own,
    /// With those of other sites, too: only for a cookie that changes nothing.
    Anywhere,
}

impl Cookie<'_> {
    /// The value that a browser sends.
    pub fn value<'h>(&self, headers: &'h HeaderMap) -> Option<&'h str> {
        let name = self.full_name(headers);
        let all = headers.get_all(COOKIE).iter();
        all.filter_map(|header| header.to_str().ok())
            .flat_map(|header| header.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .find_map(|(key, value)| (key == name).then_some(value))
    }

    /// What tells a browser to keep a value for so many seconds, `over_tls` alone or not.
    pub fn kept(&self, headers: &HeaderMap, over_tls: bool, value: &str, seconds: u64) -> String {
        let (name, path) = (self.full_name(headers), self.path);
        let site = match self.arrivals {
            Arrivals::Own => "Strict",
            Arrivals::Anywhere => "Lax",
        };
        let secure = if over_tls { "; Secure" } else { "" };
        format!("{name}={value}; Path={path}; HttpOnly; SameSite={site}; Max-Age={seconds}{secure}")
    }

    fn full_name(&self, headers: &HeaderMap) -> String {
        match host::named(headers, None).and_then(host::port) {
            Some(port) => format!("{}-{port}", self.name),
            None => self.name.to_owned(),
        }
    }
}

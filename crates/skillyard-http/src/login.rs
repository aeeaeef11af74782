//! Logging in with a token, for browsers: what the server and the registry share.
//!
//! A browser that sends a token gets a random value in a cookie, which represents it. The servers
//! store these values and decide what they allow.

use std::time::Duration;

use askama::Template;
use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use serde::Deserialize;
use sha2::Digest as _;
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

use crate::origin::{named_host, port};

/// How long a login lasts.
pub const LIFETIME: Duration = Duration::from_hours(12);

/// A new value for a cookie.
pub fn draw() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(hex::encode(bytes))
}

/// What is kept of a value: it is looked up by its hash, so that the time of a comparison tells
/// nothing.
pub fn key(value: &str) -> [u8; 32] {
    Sha256::digest(value.as_bytes()).into()
}

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
        match named_host(headers, None).and_then(port) {
            Some(port) => format!("{}-{port}", self.name),
            None => self.name.to_owned(),
        }
    }
}

/// The form that asks for a token; a page shows it as it is.
#[derive(Template)]
#[template(path = "login_form.html")]
pub struct TokenForm<'a> {
    /// Why a token is needed.
    pub reason: &'a str,
    /// Whether the one that was given is not known.
    pub wrong: bool,
    /// Where to go from there.
    pub next: &'a str,
}

/// The name of the header.
pub const HEADER: &str = "x-csrf-token";
/// The name of the field.
pub const FIELD: &str = "csrf";

/// Makes and checks the values.
#[derive(Clone)]
pub struct Forgery {
    secret: [u8; 32],
}

impl Forgery {
    /// With a new secret, for this process alone.
    pub fn new() -> Result<Self, getrandom::Error> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret)?;
        Ok(Self { secret })
    }

    /// Without a secret: the cookie values of logins that several processes share are secrets.
    pub fn shared() -> Self {
        Self { secret: [0; 32] }
    }

    /// The value for the pages of a session.
    pub fn value(&self, session: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(self.secret);
        hash.update(session.as_bytes());
        hex::encode(hash.finalize())
    }

    /// Whether the value is that of our own pages.
    pub fn is_ours(&self, session: &str, value: &str) -> bool {
        self.value(session)
            .as_bytes()
            .ct_eq(value.as_bytes())
            .into()
    }
}

/// What was asked for before the login.
#[derive(Debug, Default, Deserialize)]
pub struct Next {
    /// A path with its query, as it was sent.
    #[serde(default)]
    pub next: String,
}

impl Next {
    /// The page that was asked for, if it is one of ours; a link must not lead elsewhere.
    pub fn page(&self) -> &str {
        let next = self.next.as_str();
        let path = next.split('?').next().unwrap_or_default();
        let is_plain = |byte: &u8| byte.is_ascii_graphic() && *byte != b'\\';
        let is_ours = next.starts_with('/')
            && !next.starts_with("//")
            && !matches!(path, "/login" | "/logout")
            && next.as_bytes().iter().all(is_plain);
        if is_ours { next } else { "/" }
    }
}

/// The address of the login from which it goes on to `asked`, a path with its query.
pub fn address(asked: Option<&str>) -> String {
    match asked.filter(|asked| *asked != "/") {
        Some(asked) => {
            let next: String = form_urlencoded::byte_serialize(asked.as_bytes()).collect();
            format!("/login?next={next}")
        }
        None => "/login".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_belongs_to_one_session_of_one_process() {
        let (one, two) = (Forgery::new().unwrap(), Forgery::new().unwrap());
        let value = one.value("a");
        assert!(one.is_ours("a", &value));
        assert!(!one.is_ours("b", &value));
        assert!(!two.is_ours("a", &value));
        assert!(!one.is_ours("a", ""));
    }

    #[test]
    fn a_shared_value_belongs_to_one_session_of_every_process() {
        let value = Forgery::shared().value("a");
        assert!(Forgery::shared().is_ours("a", &value));
        assert!(!Forgery::shared().is_ours("b", &value));
    }

    #[test]
    fn a_login_leads_to_pages_of_ours_alone() {
        let page = |next: &str| {
            let next = next.to_owned();
            Next { next }.page().to_owned()
        };
        for own in ["/", "/skills/pdf?x=1", "/log/checkpoint", "/logins"] {
            assert_eq!(page(own), own);
        }
        for other in [
            "",
            "//evil.example/",
            "/\\evil.example",
            "https://evil.example",
            "/a\r\nx: y",
            "/logout",
            "/login?next=/logout",
        ] {
            assert_eq!(page(other), "/", "{other}");
        }
    }
}

//! Which proxy a request goes through, if any.
//!
//! What is on this machine is never asked through one, whatever the variables say: a proxy would look
//! for it on its own machine, and read the tokens that were meant for ours.

use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use super::direct::NoProxy;
use super::error::HttpError;
use crate::reference::Nearness;

/// What can be spoken with a proxy.
const SCHEMES: &[&str] = &["http", "https", "socks4", "socks4a", "socks5", "socks5h"];

/// What other programs are told to ask directly. Older ones know no networks, so the usual address
/// is named, too.
const HERE: &str = "localhost,127.0.0.1,127.0.0.0/8,0.0.0.0,::1";

/// The proxies of the environment, as the usual variables name them.
#[derive(Debug, Clone, Default)]
pub struct Proxies {
    /// For addresses that start with `http:`.
    pub http: Option<NamedProxy>,
    /// For addresses that start with `https:`.
    pub https: Option<NamedProxy>,
    /// Hosts that are asked directly, as curl reads them from `NO_PROXY`.
    pub direct: Option<String>,
}

/// A proxy that a variable names.
#[derive(Debug, Clone)]
pub struct NamedProxy {
    /// The variable.
    pub variable: &'static str,
    /// Its value, which may hold a password.
    pub address: SecretString,
}

/// The ways through the proxies, once they are understood.
pub struct Routes {
    http: Option<Url>,
    https: Option<Url>,
    direct: NoProxy,
}

impl Proxies {
    /// The ways through them, if each variable names a proxy.
    pub fn routes(&self) -> Result<Routes, HttpError> {
        let understood = |proxy: &Option<NamedProxy>| {
            let proxy = proxy.as_ref();
            proxy.map(NamedProxy::url).transpose()
        };
        Ok(Routes {
            http: understood(&self.http)?,
            https: understood(&self.https)?,
            direct: NoProxy::read(self.direct.as_deref().unwrap_or_default()),
        })
    }

    /// What `NO_PROXY` says to a program of ours that reads it by itself: what it said, and this
    /// machine.
    pub fn told_to_programs(&self) -> String {
        match self.direct.as_deref().map(str::trim) {
            // Beside others it would not mean everything.
            Some("*") => "*".into(),
            Some(direct) if !direct.is_empty() => format!("{direct},{HERE}"),
            _ => HERE.into(),
        }
    }
}

impl NamedProxy {
    /// Its address without the login, to be shown; nothing where it is none.
    pub fn shown(&self) -> Option<String> {
        let url = self.url().ok()?;
        let port = url
            .port()
            .map_or_else(String::new, |port| format!(":{port}"));
        Some(format!("{}://{}{port}", url.scheme(), url.host_str()?))
    }

    fn url(&self) -> Result<Url, HttpError> {
        let none = || HttpError::Proxy(self.variable);
        let text = self.address.expose_secret().trim();
        let text = match text.split_once("://") {
            None => format!("http://{text}"),
            // As curl has it; desktops write it.
            Some(("socks", rest)) => format!("socks4://{rest}"),
            Some(_) => text.to_owned(),
        };
        let url = Url::parse(&text).map_err(|_| none())?;
        let is_host = url.host_str().is_some_and(|host| !host.is_empty());
        if is_host && SCHEMES.contains(&url.scheme()) {
            Ok(url)
        } else {
            Err(none())
        }
    }
}

impl Routes {
    /// The proxy that an address is reached through, if it is not asked directly.
    pub fn proxy_for(&self, url: &Url) -> Option<&Url> {
        let proxy = match url.scheme() {
            "http" => self.http.as_ref(),
            "https" => self.https.as_ref(),
            _ => None,
        };
        proxy.filter(|_| Nearness::of(url) != Nearness::Here && !self.direct.has(url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(address: &str) -> NamedProxy {
        NamedProxy {
            variable: "ALL_PROXY",
            address: address.to_owned().into(),
        }
    }

    #[test]
    fn nothing_on_this_machine_is_asked_through_a_proxy() {
        let proxies = Proxies {
            http: Some(named("http://proxy.example:1")),
            https: Some(named("socks5h://proxy.example")),
            direct: Some("corp.example".into()),
        };
        let routes = proxies.routes().unwrap();
        let way = |url: &str| {
            let url = Url::parse(url).unwrap();
            routes.proxy_for(&url).map(Url::to_string)
        };
        for here in [
            "127.0.0.1:8080",
            "127.9.9.9",
            "[::1]:11434",
            "[::ffff:127.0.0.1]",
            "localhost",
            "LOCALHOST.:1",
            "yard.localhost:7878",
            "0.0.0.0:1",
            "2130706433",
            "corp.example",
            "a.corp.example",
        ] {
            for scheme in ["http", "https"] {
                assert_eq!(
                    way(&format!("{scheme}://{here}/x")),
                    None,
                    "{scheme} {here}"
                );
            }
        }
        let plain = way("http://a.example/");
        assert_eq!(plain.as_deref(), Some("http://proxy.example:1/"));
        let encrypted = way("https://localhost.example/");
        assert_eq!(encrypted.as_deref(), Some("socks5h://proxy.example"));
    }

    #[test]
    fn proxies_are_written_as_for_curl_and_shown_without_their_login() {
        for (address, expected) in [
            (
                "http://me:s3cret@proxy.example:3128/",
                Some("http://proxy.example:3128"),
            ),
            (
                "me:s3cret@proxy.example:3128",
                Some("http://proxy.example:3128"),
            ),
            ("proxy.example:3128", Some("http://proxy.example:3128")),
            ("https://proxy.example", Some("https://proxy.example")),
            ("socks5://10.0.0.1:1080", Some("socks5://10.0.0.1:1080")),
            ("socks://[::1]:1080/", Some("socks4://[::1]:1080")),
            ("ftp://proxy.example", None),
            ("socks5://", None),
            ("http://:s3cret@", None),
            ("http://me:s3cret@ /", None),
        ] {
            assert_eq!(named(address).shown().as_deref(), expected, "{address}");
        }
    }

    #[test]
    fn other_programs_are_told_of_this_machine_beside_what_they_were() {
        let told = |direct: Option<&str>| {
            let direct = direct.map(str::to_owned);
            let proxies = Proxies {
                direct,
                ..Proxies::default()
            };
            proxies.told_to_programs()
        };
        assert_eq!(told(None), HERE);
        assert_eq!(told(Some(" ")), HERE);
        assert_eq!(told(Some("*")), "*");
        assert_eq!(told(Some("a, b")), format!("a, b,{HERE}"));
    }
}

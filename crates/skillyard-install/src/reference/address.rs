//! Addresses on the network, with their secrets split off when they are read.
//!
//! What is shown, compared, locked or logged is the address without secrets;
//! only a request gets them back.

use std::fmt;

use secrecy::{ExposeSecret as _, SecretString};
use url::{Host, Url};

use super::error::ReferenceError;
use super::shown::{is_secret_parameter, shown};

/// An address without its secrets, and the secrets.
#[derive(Clone)]
pub struct Address {
    url: Url,
    credentials: Option<Credentials>,
    query: Option<SecretString>,
}

/// A user and a password that stood in an address.
#[derive(Debug, Clone)]
pub struct Credentials {
    /// The user, which with some hosts is a token.
    pub user: SecretString,
    /// The password.
    pub password: Option<SecretString>,
}

impl Address {
    /// Reads an address; a fragment must have been taken off.
    pub fn parse(text: &str) -> Result<Self, ReferenceError> {
        let error = |problem: String| ReferenceError::Address {
            text: shown(text),
            problem,
        };
        if let Some(character) = text.chars().find(|c| !c.is_ascii()) {
            return Err(ReferenceError::NotAscii {
                text: shown(text),
                character: format!("`{character}` (U+{:04X})", u32::from(character)),
            });
        }
        if text.contains(' ') {
            return Err(ReferenceError::Space { text: shown(text) });
        }
        if text.contains('\\') {
            return Err(error("it contains a backslash".to_owned()));
        }
        let mut url = Url::parse(text).map_err(|problem| error(problem.to_string()))?;
        check_authority(&url).map_err(|problem| error(problem.to_owned()))?;
        let credentials = take_credentials(&mut url);
        let query = take_secret_query(&mut url);
        url.set_fragment(None);
        Ok(Self {
            url,
            credentials,
            query,
        })
    }

    /// The address without secrets.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The same secrets at another place of the same host.
    pub(super) fn with_path(mut self, path: &str) -> Self {
        self.url.set_path(path);
        self
    }

    /// The same place without what followed `?`.
    pub(super) fn without_query(mut self) -> Self {
        self.url.set_query(None);
        self.query = None;
        self
    }

    /// The address to ask, with the secrets of its query and without user and password.
    pub fn request_url(&self) -> Url {
        let mut url = self.url.clone();
        if let Some(query) = &self.query {
            url.set_query(Some(query.expose_secret()));
        }
        url
    }

    /// The user and password that stood in the address.
    pub fn credentials(&self) -> Option<&Credentials> {
        self.credentials.as_ref()
    }

    /// Whether nobody on the way can read or change what is sent.
    pub fn is_private(&self) -> bool {
        matches!(self.url.scheme(), "https" | "ssh" | "file") || is_loopback(&self.url)
    }
}

/// Whether an address is on this machine.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        // Schemes that browsers do not know keep numbers as text.
        Some(Host::Domain(name)) => {
            name == "localhost"
                || name
                    .parse()
                    .is_ok_and(|ip: std::net::Ipv4Addr| ip.is_loopback())
        }
        None => false,
    }
}

impl PartialEq for Address {
    fn eq(&self, other: &Self) -> bool {
        self.url == other.url
    }
}

impl Eq for Address {}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.url.fmt(f)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({})", self.url)
    }
}

/// Programs such as ssh would take a host or user that starts with a hyphen for an option.
fn check_authority(url: &Url) -> Result<(), &'static str> {
    let host = url.host_str().unwrap_or_default();
    if url.scheme() == "file" {
        return if host.is_empty() {
            Ok(())
        } else {
            Err("a file is on no host; write three slashes")
        };
    }
    if host.is_empty() {
        return Err("it names no host");
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
    if host.starts_with('-') || !host.bytes().all(plain) {
        return Err("its host has characters that hosts do not have");
    }
    if url.username().starts_with('-') || url.username().starts_with("%2") {
        return Err("its user has characters that users do not have");
    }
    Ok(())
}

fn take_credentials(url: &mut Url) -> Option<Credentials> {
    let user = url.username().to_owned();
    let password = url.password().map(SecretString::from);
    if user.is_empty() && password.is_none() {
        return None;
    }
    // These fail only for addresses that can have neither.
    let _ = url.set_password(None);
    // The user of ssh is part of the address.
    if url.scheme() != "ssh" {
        let _ = url.set_username("");
    } else if password.is_none() {
        return None;
    }
    Some(Credentials {
        user: SecretString::from(decoded(&user)),
        password: password.map(|password| SecretString::from(decoded(password.expose_secret()))),
    })
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text)
        .decode_utf8_lossy()
        .into_owned()
}

fn take_secret_query(url: &mut Url) -> Option<SecretString> {
    let query = url.query()?.to_owned();
    let is_secret = |pair: &&str| is_secret_parameter(pair.split('=').next().unwrap_or_default());
    if !query.split('&').any(|pair| is_secret(&pair)) {
        return None;
    }
    let open: Vec<&str> = query.split('&').filter(|pair| !is_secret(pair)).collect();
    url.set_query((!open.is_empty()).then(|| open.join("&")).as_deref());
    Some(SecretString::from(query))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_split_off_and_given_back_to_requests_only() {
        let address = Address::parse("https://me:pa%40ss@h/x.zip?v=1&token=abc").unwrap();
        assert_eq!(address.to_string(), "https://h/x.zip?v=1");
        assert!(!format!("{address:?} {:?}", address.credentials()).contains("abc"));
        assert!(!format!("{:?}", address.credentials()).contains("pa@ss"));
        assert_eq!(
            address.request_url().as_str(),
            "https://h/x.zip?v=1&token=abc"
        );
        let credentials = address.credentials().unwrap();
        assert_eq!(credentials.user.expose_secret(), "me");
        assert_eq!(
            credentials.password.as_ref().unwrap().expose_secret(),
            "pa@ss"
        );
        let ssh = Address::parse("ssh://git@h/x.git").unwrap();
        assert_eq!(ssh.to_string(), "ssh://git@h/x.git");
        assert!(ssh.credentials().is_none());
    }

    #[test]
    fn hostile_addresses_are_refused_without_showing_their_secrets() {
        for text in [
            "ssh://-oProxyCommand=x/y",
            "ssh://-x@h/y",
            "https://exаmple.com/x",
            "https://h/a b",
            "https://h\\@evil/x",
            "https:///x y",
            "file://host/x",
            "https://u:s3cret@h:99999/x",
        ] {
            let message = Address::parse(text).unwrap_err().to_string();
            assert!(!message.contains("s3cret"), "{message}");
        }
    }
}

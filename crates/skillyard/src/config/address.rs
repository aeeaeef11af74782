//! A URL of the configuration, which may hold variables and a password.

use std::fmt;

use crate::redactor::without_userinfo;

use super::template::Template;

/// A URL, as configured.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    template: Template,
}

const SCHEMES: &[&str] = &["https", "http", "ssh", "git", "file"];

impl Address {
    /// Reads a URL; says what is wrong, without quoting it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let template = Template::parse(text)?;
        // With a variable in it, what it will be is seen when it is used.
        if template.variables().next().is_none() {
            check(text)?;
        }
        Ok(Self { template })
    }

    /// Reads the address of a database; says what is wrong, without quoting it.
    pub(crate) fn of_database(text: &str) -> Result<Self, String> {
        let template = Template::parse(text)?;
        match template.variables().next() {
            None => check_database(text)?,
            // What is shown of it must be known at once, whatever the variables are.
            Some(_) => check_query(text)?,
        }
        Ok(Self { template })
    }

    /// The text and its variables.
    pub(crate) fn template(&self) -> &Template {
        &self.template
    }

    /// As it was written, with the password that may stand in it.
    pub(crate) fn written(&self) -> String {
        self.template.written()
    }

    /// Whether a password stands in it.
    pub(crate) fn holds_secret(&self) -> bool {
        let text = self.written();
        without_userinfo(&text) != text
    }
}

/// As written, but for user and password.
impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&without_userinfo(&self.written()))
    }
}

/// What is wrong with a URL, if something is.
pub(crate) fn check(url: &str) -> Result<(), String> {
    let (scheme, rest) = url
        .split_once("://")
        .ok_or("it must be a URL, such as `https://example.com`")?;
    let scheme = scheme.to_ascii_lowercase();
    if !SCHEMES.contains(&&*scheme) {
        return Err(format!("its scheme must be one of {}", SCHEMES.join(", ")));
    }
    if url.contains(|c: char| {
        c.is_whitespace() || c.is_control() || matches!(c, '\\' | '"' | '<' | '>')
    }) {
        return Err("a URL has no spaces, quotes or backslashes".into());
    }
    if scheme != "file" && host(rest).is_empty() {
        return Err("it names no host".into());
    }
    Ok(())
}

/// What is wrong with the URL of a registry, which is asked over the web alone, if something is.
pub(crate) fn check_registry(url: &str) -> Result<(), String> {
    check(url)?;
    let scheme = url.split(':').next().unwrap_or_default();
    match scheme.to_ascii_lowercase().as_str() {
        "http" if is_readable_by_others(url) => Err(
            "a registry is asked over https, and over http only on this machine".into(),
        ),
        "https" | "http" => Ok(()),
        _ => Err(
            "a registry is asked over https; serve a folder of plain files with a web server, such as `python3 -m http.server`"
                .into(),
        ),
    }
}

/// What is wrong with the address of a database, if something is.
pub(crate) fn check_database(address: &str) -> Result<(), String> {
    let form = "it must be the address of a PostgreSQL database, such as \
                `postgres://${USER}:${PASSWORD}@HOST/NAME`; without it sessions are in a file";
    check_query(address)?;
    let url = url::Url::parse(address).map_err(|_| form)?;
    if !matches!(url.scheme(), "postgres" | "postgresql") {
        return Err(form.into());
    }
    // What stands before it would be shown as host and name.
    if url.path().contains('@') {
        return Err(
            "`/`, `?`, `#` and `@` in a password are written `%2F`, `%3F`, `%23` and `%40`".into(),
        );
    }
    Ok(())
}

/// A password among the parameters would not be hidden.
fn check_query(address: &str) -> Result<(), String> {
    let query = address.split_once('?').map_or("", |(_, query)| query);
    if query.to_ascii_lowercase().contains("password") || query.contains('@') {
        return Err(
            "a password stands before the host, as in `postgres://${USER}:${PASSWORD}@HOST/NAME`"
                .into(),
        );
    }
    Ok(())
}

/// Whether what is sent there can be read on the way: plain HTTP to another machine.
pub(crate) fn is_readable_by_others(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once("://") else {
        return false;
    };
    if !scheme.eq_ignore_ascii_case("http") {
        return false;
    }
    let host = host(rest);
    let is_loopback = host
        .parse()
        .is_ok_and(|ip: std::net::IpAddr| ip.is_loopback());
    !is_loopback && host != "localhost" && !host.ends_with(".localhost")
}

/// The host in what follows `://`, without user, port and brackets.
fn host(rest: &str) -> &str {
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let authority = authority.rsplit('@').next().unwrap_or_default();
    match authority.strip_prefix('[') {
        Some(inside) => inside.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        for url in [
            "https://a",
            "http://127.0.0.1:8080/x",
            "file:///x",
            "ssh://git@h/x",
            "${BASE}/x",
            "HTTPS://a",
        ] {
            assert!(Address::parse(url).is_ok(), "{url}");
        }
        for url in [
            "",
            "a",
            "ftp://a",
            "https://",
            "https:///x",
            "https://a b",
            "https://user@",
        ] {
            assert!(Address::parse(url).is_err(), "{url}");
        }
    }

    #[test]
    fn a_password_is_not_shown() {
        let address = Address::parse("https://me:hunter2@host/x").unwrap();
        assert_eq!(address.to_string(), "https://…redacted@host/x");
        assert!(address.holds_secret() && !format!("{address:?}").contains("hunter2"));
        assert_eq!(address.written(), "https://me:hunter2@host/x");
    }

    #[test]
    fn registries_are_on_the_web() {
        for url in ["https://a", "HTTP://127.0.0.1:1", "http://localhost/x"] {
            assert_eq!(check_registry(url), Ok(()), "{url}");
        }
        for url in ["file:///x", "ssh://h", "git://h", "http://h", "HTTP://h"] {
            assert!(check_registry(url).is_err(), "{url}");
        }
    }

    #[test]
    fn databases() {
        for address in [
            "postgres://me:hunter2@host:5432/x?sslmode=verify-full",
            "postgresql:///x?host=/var/run/postgresql",
            "postgres://me:${PASSWORD}@%2Ftmp/x",
            "${DATABASE}",
        ] {
            let address = Address::of_database(address).unwrap();
            assert!(!address.to_string().contains("hunter2"), "{address}");
        }
        for address in [
            "sqlite:hunter2",
            "https://h/hunter2",
            "hunter2",
            "postgres://me:hunter2/@host/x",
            "postgres://me:1/hunter2@host/x",
            "postgres://me:1?hunter2@host/x",
            "postgres://me@host/x?password=hunter2",
            "postgres://${HOST}/x?PASSWORD=hunter2",
        ] {
            let problem = Address::of_database(address).unwrap_err();
            assert!(!problem.contains("hunter2"), "{address}: {problem}");
        }
    }

    #[test]
    fn plain_http_is_for_this_machine() {
        for url in [
            "https://h",
            "http://localhost:1/",
            "http://127.9.0.1",
            "http://[::1]:80/x",
            "http://a.localhost",
        ] {
            assert!(!is_readable_by_others(url), "{url}");
        }
        for url in [
            "http://h",
            "HTTP://h",
            "http://127.0.0.1.evil.com",
            "http://localhost@evil.com",
            "http://[2001::1]/",
        ] {
            assert!(is_readable_by_others(url), "{url}");
        }
    }
}

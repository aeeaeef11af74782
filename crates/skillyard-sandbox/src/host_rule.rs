//! Which hosts a program may reach.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// The ports of the web, which a rule without a port allows.
const WEB: [u16; 2] = [80, 443];

/// A host that may be reached: `example.com`, `*.example.com`, `10.0.0.5`, `[::1]`, each with
/// `:port` if it is not 80 or 443.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRule {
    pattern: HostPattern,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum HostPattern {
    Name(String),
    /// All names that end in this, which starts with a dot.
    Below(String),
    Address(IpAddr),
}

/// An invalid rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` names no host: {reason}")]
pub struct HostRuleError {
    text: String,
    reason: &'static str,
}

impl FromStr for HostRule {
    type Err = HostRuleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let failed = |reason| HostRuleError {
            text: text.to_owned(),
            reason,
        };
        if text.contains("://") || text.contains('/') {
            return Err(failed("give the host alone, without scheme and path"));
        }
        let (below, rest) = match text.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (host, port) = Destination::split(rest).map_err(failed)?;
        let pattern = match Host::parse(host).map_err(failed)? {
            Host::Address(_) if below => return Err(failed("an address has nothing below it")),
            Host::Address(address) => HostPattern::Address(address),
            // `*.com` would be the whole world.
            Host::Name(name) if below && !name.contains('.') => {
                return Err(failed("a whole top-level domain is too much"));
            }
            Host::Name(name) if below => HostPattern::Below(format!(".{name}")),
            Host::Name(name) => HostPattern::Name(name),
        };
        Ok(Self { pattern, port })
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pattern {
            HostPattern::Name(name) => formatter.write_str(name)?,
            HostPattern::Below(name) => write!(formatter, "*{name}")?,
            HostPattern::Address(IpAddr::V4(address)) => write!(formatter, "{address}")?,
            HostPattern::Address(IpAddr::V6(address)) => write!(formatter, "[{address}]")?,
        }
        match self.port {
            Some(port) => write!(formatter, ":{port}"),
            None => Ok(()),
        }
    }
}

impl HostRule {
    /// Whether it is about this very host, whatever the port.
    pub(crate) fn names(&self, host: &str) -> bool {
        match &self.pattern {
            HostPattern::Name(name) => name == host,
            HostPattern::Address(address) => {
                host.parse().is_ok_and(|host: IpAddr| host == *address)
            }
            HostPattern::Below(_) => false,
        }
    }

    fn allows_port(&self, port: u16) -> bool {
        self.port
            .map_or(WEB.contains(&port), |allowed| allowed == port)
    }

    /// Whether this is what was asked for.
    pub(crate) fn allows(&self, destination: &Destination) -> bool {
        let host = match (&self.pattern, &destination.host) {
            (HostPattern::Name(allowed), Host::Name(name)) => allowed == name,
            (HostPattern::Below(end), Host::Name(name)) => name.ends_with(end.as_str()),
            (HostPattern::Address(allowed), Host::Address(address)) => allowed == address,
            _ => false,
        };
        host && self.allows_port(destination.port)
    }

    /// Whether an address that a name led to may be reached although it is not public.
    pub(crate) fn allows_address(&self, name: &str, address: IpAddr, port: u16) -> bool {
        match &self.pattern {
            HostPattern::Address(allowed) => *allowed == address && self.allows_port(port),
            HostPattern::Name(allowed) => {
                allowed == "localhost" && name == "localhost" && address.is_loopback()
            }
            HostPattern::Below(_) => false,
        }
    }
}

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Destination {
    pub(crate) host: Host,
    pub(crate) port: u16,
}

/// A host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Host {
    /// A name in lower case, without a dot at its end.
    Name(String),
    /// An address; one of IPv4 inside one of IPv6 is one of IPv4.
    Address(IpAddr),
}

impl Destination {
    /// What `host`, `host:port` or `[address]:port` asks for.
    pub(crate) fn parse(text: &str, default_port: u16) -> Result<Self, &'static str> {
        let (host, port) = Self::split(text)?;
        Ok(Self {
            host: Host::parse(host)?,
            port: port.unwrap_or(default_port),
        })
    }

    /// The host and the port of an authority.
    pub(crate) fn split(text: &str) -> Result<(&str, Option<u16>), &'static str> {
        let bracketed = text.starts_with('[');
        let end = if bracketed {
            text.find(']').ok_or("a bracket is not closed")? + 1
        } else {
            text.find(':').unwrap_or(text.len())
        };
        let (host, rest) = text.split_at(end);
        if rest.is_empty() {
            return Ok((host, None));
        }
        let digits = rest
            .strip_prefix(':')
            .ok_or("something follows the address")?;
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        match digits.parse::<u16>() {
            Ok(port) if is_number && port != 0 => Ok((host, Some(port))),
            _ => Err("the port is not a number from 1 to 65535"),
        }
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Name(name) => write!(formatter, "{name}:{}", self.port),
            Host::Address(IpAddr::V4(address)) => write!(formatter, "{address}:{}", self.port),
            Host::Address(IpAddr::V6(address)) => write!(formatter, "[{address}]:{}", self.port),
        }
    }
}

impl Host {
    /// A name or an address in its usual form. Whatever some resolver might take for an
    /// address (`0x7f.1`, `2130706433`) is neither.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        if let Some(inner) = text.strip_prefix('[') {
            let inner = inner.strip_suffix(']').ok_or("a bracket is not closed")?;
            let address: Ipv6Addr = inner.parse().map_err(|_| "it is not an IPv6 address")?;
            return Ok(Self::Address(plain(address.into())));
        }
        if let Ok(address) = text.parse::<Ipv4Addr>() {
            return Ok(Self::Address(address.into()));
        }
        let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
        if name.is_empty() || name.len() > 253 {
            return Err("a name has 1 to 253 characters");
        }
        let is_label = |label: &str| {
            let characters = label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
            characters && !label.is_empty() && label.len() <= 63 && !label.starts_with('-')
        };
        if !name.split('.').all(is_label) {
            return Err("a name consists of letters, digits, hyphens and dots");
        }
        let last = name.rsplit('.').next().unwrap_or_default();
        let like_number = last.starts_with("0x") || last.bytes().all(|byte| byte.is_ascii_digit());
        if like_number {
            return Err("it looks like an address and is none");
        }
        Ok(Self::Name(name))
    }
}

/// An address of IPv4 in the clothes of IPv6, undressed.
pub(crate) fn plain(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) => v6.to_ipv4_mapped().map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(rule: &str, asked: &str) -> bool {
        let rule: HostRule = rule.parse().unwrap();
        Destination::parse(asked, 443).is_ok_and(|destination| rule.allows(&destination))
    }

    #[test]
    fn names_are_compared_as_names() {
        for asked in [
            "allowed.com",
            "ALLOWED.com:443",
            "allowed.com.",
            "allowed.com:80",
        ] {
            assert!(allowed("allowed.com", asked), "{asked}");
        }
        for asked in [
            "evil.com",
            "notallowed.com",
            "allowed.com.evil.com",
            "sub.allowed.com",
            "allowed.com:8443",
            "allowed.com:22",
            "user@allowed.com",
            "allowed.com@evil.com",
            "evil.com\0.allowed.com",
            "evil.com#.allowed.com",
            "evil.com%2eallowed.com",
            "allowed.com..",
            ".allowed.com",
            "allowed.com:443:443",
            "allowed\u{2024}com",
            "аllowed.com",
            "allowed.com evil.com",
            "",
        ] {
            assert!(!allowed("allowed.com", asked), "{asked}");
        }
    }

    #[test]
    fn a_star_stands_for_what_is_below() {
        assert!(allowed("*.allowed.com", "a.allowed.com"));
        assert!(allowed("*.allowed.com", "a.b.ALLOWED.com."));
        for asked in [
            "allowed.com",
            "notallowed.com",
            "a.allowed.com.evil.com",
            "evil.com\0.allowed.com",
        ] {
            assert!(!allowed("*.allowed.com", asked), "{asked}");
        }
    }

    #[test]
    fn addresses_are_never_names() {
        assert!(allowed("127.0.0.1:8080", "127.0.0.1:8080"));
        assert!(allowed("[::1]:8080", "[::1]:8080"));
        assert!(allowed("127.0.0.1:80", "[::ffff:127.0.0.1]:80"));
        for asked in [
            "2130706433:8080",
            "0x7f.1:8080",
            "0177.0.0.1:8080",
            "127.1:8080",
            "0x7f000001:8080",
            "localhost:8080",
            "[fe80::1%eth0]:8080",
        ] {
            assert!(!allowed("127.0.0.1:8080", asked), "{asked}");
        }
    }

    #[test]
    fn rules_are_shown_as_written() {
        for rule in [
            "example.com",
            "*.example.com:8443",
            "10.0.0.5:5432",
            "[::1]:80",
        ] {
            assert_eq!(rule.parse::<HostRule>().unwrap().to_string(), rule);
        }
        for text in [
            "",
            "*",
            "*.com",
            "*.10.0.0.1",
            "https://example.com",
            "a/b",
            "a b",
            "a:b",
            "a:0",
            "a:70000",
            "1.2.3",
        ] {
            assert!(text.parse::<HostRule>().is_err(), "{text}");
        }
    }
}

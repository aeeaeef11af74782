//! Which hosts a program may reach.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use super::destination::{Destination, Host};

/// The ports of the web, which a rule without a port allows.
const WEB: [u16; 2] = [80, 443];

/// A host that may be reached: `example.com`, `*.example.com`, `10.0.0.5`, `[::1]`, each with
/// `:port` if it is not 80 or 443.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRule {
    pattern: Pattern,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Pattern {
    Name(String),
    /// All names that end in this, which starts with a dot.
    Below(String),
    Address(IpAddr),
}

/// A text that is no rule.
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
            Host::Address(address) => Pattern::Address(address),
            // `*.com` would be the whole world.
            Host::Name(name) if below && !name.contains('.') => {
                return Err(failed("a whole top-level domain is too much"));
            }
            Host::Name(name) if below => Pattern::Below(format!(".{name}")),
            Host::Name(name) => Pattern::Name(name),
        };
        Ok(Self { pattern, port })
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pattern {
            Pattern::Name(name) => formatter.write_str(name)?,
            Pattern::Below(name) => write!(formatter, "*{name}")?,
            Pattern::Address(IpAddr::V4(address)) => write!(formatter, "{address}")?,
            Pattern::Address(IpAddr::V6(address)) => write!(formatter, "[{address}]")?,
        }
        match self.port {
            Some(port) => write!(formatter, ":{port}"),
            None => Ok(()),
        }
    }
}

impl HostRule {
    /// Whether it is about this very host, whatever the port.
    pub(super) fn names(&self, host: &str) -> bool {
        match &self.pattern {
            Pattern::Name(name) => name == host,
            Pattern::Address(address) => host.parse().is_ok_and(|host: IpAddr| host == *address),
            Pattern::Below(_) => false,
        }
    }

    fn allows_port(&self, port: u16) -> bool {
        self.port
            .map_or(WEB.contains(&port), |allowed| allowed == port)
    }

    /// Whether this is what was asked for.
    pub(super) fn allows(&self, destination: &Destination) -> bool {
        let host = match (&self.pattern, &destination.host) {
            (Pattern::Name(allowed), Host::Name(name)) => allowed == name,
            (Pattern::Below(end), Host::Name(name)) => name.ends_with(end.as_str()),
            (Pattern::Address(allowed), Host::Address(address)) => allowed == address,
            _ => false,
        };
        host && self.allows_port(destination.port)
    }

    /// Whether an address that a name led to may be reached although it is not public.
    pub(super) fn allows_address(&self, name: &str, address: IpAddr, port: u16) -> bool {
        match &self.pattern {
            Pattern::Address(allowed) => *allowed == address && self.allows_port(port),
            Pattern::Name(allowed) => {
                allowed == "localhost" && name == "localhost" && address.is_loopback()
            }
            Pattern::Below(_) => false,
        }
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

//! Which hosts a program may reach.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
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

/// Why an address is none of the public internet.
pub(super) fn not_public(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, c, _] = v4.octets();
            match (a, b, c) {
                (0, ..) => Some("this host"),
                (127, ..) => Some("loopback"),
                (169, 254, _) => Some("link-local"),
                (10, ..) | (192, 168, _) => Some("private"),
                (172, b, _) if b & 0xf0 == 16 => Some("private"),
                (100, b, _) if b & 0xc0 == 64 => Some("shared"),
                (192, 0, 0) | (198, 18 | 19, _) | (240.., ..) => Some("reserved"),
                (192, 0, 2) | (198, 51, 100) | (203, 0, 113) => Some("documentation"),
                (192, 88, 99) => Some("a relay"),
                (224..=239, ..) => Some("multicast"),
                _ => None,
            }
        }
        IpAddr::V6(v6) => not_public_v6(v6),
    }
}

fn not_public_v6(address: Ipv6Addr) -> Option<&'static str> {
    let parts = address.segments();
    // Addresses that carry one of IPv4: mapped, translated (both prefixes), 6to4.
    let inner = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        not_public(IpAddr::from([a, b, c, d]))
    };
    match parts {
        [0, 0, 0, 0, 0, 0, 0, 0] => Some("this host"),
        [0, 0, 0, 0, 0, 0, 0, 1] => Some("loopback"),
        [0, 0, 0, 0, 0, 0xffff | 0, high, low] => inner(high, low).or(Some("an embedded address")),
        [0x64, 0xff9b, 1, ..] => Some("private"),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => inner(high, low),
        [0x2001, 0, ..] => Some("a tunnel"),
        [0x2001, 0xdb8, ..] => Some("documentation"),
        [first, ..] if first & 0xfe00 == 0xfc00 => Some("private"),
        [first, ..] if first & 0xffc0 == 0xfe80 => Some("link-local"),
        [first, ..] if first & 0xffc0 == 0xfec0 => Some("site-local"),
        [first, ..] if first & 0xff00 == 0xff00 => Some("multicast"),
        [first, ..] if first & 0xe000 != 0x2000 => Some("reserved"),
        _ => None,
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

    #[test]
    fn only_public_addresses_are_public() {
        for address in [
            "127.0.0.1",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "192.0.2.1",
            "::",
            "::1",
            "fe80::1",
            "fd00::1",
            "::ffff:10.0.0.1",
            "::ffff:8.8.8.8",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001::1",
            "ff02::1",
            "fec0::1",
            "::7f00:1",
            "fd00:ec2::254",
            "64:ff9b:1::1",
            "4000::1",
        ] {
            assert!(not_public(address.parse().unwrap()).is_some(), "{address}");
        }
        for address in [
            "8.8.8.8",
            "172.32.0.1",
            "100.128.0.1",
            "2606:4700::1111",
            "64:ff9b::808:808",
        ] {
            assert_eq!(not_public(address.parse().unwrap()), None, "{address}");
        }
    }
}

//! Hosts that are asked without a proxy, as curl reads them from `NO_PROXY`.

use std::net::IpAddr;

use url::{Host, Url};

/// Hosts that are asked without a proxy.
pub(super) enum NoProxy {
    /// Every one of them.
    All,
    /// Those that one of these says.
    Some(Vec<NoProxyEntry>),
}

pub(super) enum NoProxyEntry {
    /// A name, and every name below it.
    Name(String),
    /// Addresses whose first bits are those of this one.
    Network(IpAddr, u32),
}

impl NoProxy {
    /// Understands a list; what is no address in it is a name.
    pub(super) fn read(list: &str) -> Self {
        if list.trim() == "*" {
            return Self::All;
        }
        let words = list.split(|each: char| each == ',' || each.is_whitespace());
        let words = words.filter(|word| !word.is_empty());
        Self::Some(words.map(NoProxyEntry::read).collect())
    }

    /// Whether an address is of such a host.
    pub(super) fn has(&self, url: &Url) -> bool {
        match (self, url.host()) {
            (Self::All, _) => true,
            (Self::Some(entries), Some(host)) => entries.iter().any(|entry| entry.has(&host)),
            (Self::Some(_), None) => false,
        }
    }
}

impl NoProxyEntry {
    fn read(word: &str) -> Self {
        let (address, bits) = match word.split_once('/') {
            Some((address, bits)) => (address, bits.parse().ok()),
            None => (word, Some(u32::MAX)),
        };
        let address = address
            .trim_start_matches('[')
            .trim_end_matches(']')
            .parse();
        match (address, bits) {
            (Ok(address), Some(bits)) => Self::Network(address, bits),
            _ => Self::Name(word.trim_matches('.').to_ascii_lowercase()),
        }
    }

    fn has(&self, host: &Host<&str>) -> bool {
        match (self, host) {
            (Self::Name(name), Host::Domain(host)) => {
                let above = host.trim_end_matches('.').strip_suffix(name.as_str());
                above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
            }
            (Self::Network(IpAddr::V4(network), bits), Host::Ipv4(host)) => {
                let differing = network.to_bits() ^ host.to_bits();
                differing.leading_zeros() >= (*bits).min(u32::BITS)
            }
            (Self::Network(IpAddr::V6(network), bits), Host::Ipv6(host)) => {
                let differing = network.to_bits() ^ host.to_bits();
                differing.leading_zeros() >= (*bits).min(u128::BITS)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_listed_as_for_curl() {
        for (list, host, expected) in [
            ("", "a.example", false),
            (",", "a.example", false),
            (".", "a.example", false),
            ("*", "a.example", true),
            ("*", "192.0.2.1", true),
            ("b.example,*", "a.example", false),
            ("a.example", "a.example", true),
            ("A.Example", "a.example.", true),
            ("a.example.", "a.example", true),
            (".example", "a.example", true),
            ("example", "a.example", true),
            ("ample", "a.example", false),
            ("a.example", "example", false),
            ("x b.example  a.example", "a.example", true),
            ("x, a.example", "b.a.example", true),
            ("192.0.2.1", "192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false),
            ("192.0.2.0/24", "192.0.2.200", true),
            ("192.0.2.0/24", "192.0.3.1", false),
            ("192.0.2.0/x", "192.0.2.0", false),
            ("0.0.0.0/0", "192.0.2.1", true),
            ("2001:db8::/32", "[2001:db8:1::1]", true),
            ("2001:db8::/32", "[2001:db9::1]", false),
            ("[2001:db8::1]", "[2001:db8::1]", true),
            ("192.0.2.0/24", "[2001:db8::1]", false),
        ] {
            let url = Url::parse(&format!("https://{host}:8443/x")).unwrap();
            assert_eq!(NoProxy::read(list).has(&url), expected, "{list} {host}");
        }
    }
}

//! What a program asks the proxy for, understood in one way only.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Destination {
    pub(super) host: Host,
    pub(super) port: u16,
}

/// A host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Host {
    /// A name in lower case, without a dot at its end.
    Name(String),
    /// An address; one of IPv4 inside one of IPv6 is one of IPv4.
    Address(IpAddr),
}

impl Destination {
    /// What `host`, `host:port` or `[address]:port` asks for.
    pub(super) fn parse(text: &str, default_port: u16) -> Result<Self, &'static str> {
        let (host, port) = Self::split(text)?;
        Ok(Self {
            host: Host::parse(host)?,
            port: port.unwrap_or(default_port),
        })
    }

    /// The host and the port of an authority.
    pub(super) fn split(text: &str) -> Result<(&str, Option<u16>), &'static str> {
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
            _ => Err("the port is no number from 1 to 65535"),
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
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        if let Some(inner) = text.strip_prefix('[') {
            let inner = inner.strip_suffix(']').ok_or("a bracket is not closed")?;
            let address: Ipv6Addr = inner.parse().map_err(|_| "it is no address of IPv6")?;
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
pub(super) fn plain(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) => v6.to_ipv4_mapped().map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

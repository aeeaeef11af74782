//! Addresses taken apart as the programs do that open them.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Where a host is, as far as its name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// This machine, a network nobody else reaches, or an address that stands for any.
    Local,
    /// A number that anyone can rent.
    Number,
    /// A name.
    Named,
}

impl Reach {
    /// Where `host` is, which is what [`host`] says.
    pub(super) fn of(host: &str) -> Self {
        if host == "localhost" || host.ends_with(".localhost") || is_blank(host) {
            return Self::Local;
        }
        if let Ok(number) = host.parse::<Ipv4Addr>() {
            return of_v4(number);
        }
        let number = host.split('%').next().unwrap_or(host);
        if let Ok(number) = number.parse::<Ipv6Addr>() {
            return of_v6(number);
        }
        spelled(host).unwrap_or(Self::Named)
    }
}

/// The host of an address: without who logs in, the port, brackets and the dot at its end.
pub(crate) fn host(url: &str) -> &str {
    let authority = parts(url).0;
    // Some programs end a host at such a sign, and others go on.
    if authority.contains('\\') {
        return authority;
    }
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let host = match host.strip_prefix('[') {
        Some(host) => host.split(']').next().unwrap_or(host),
        None => host.split(':').next().unwrap_or(host),
    };
    host.strip_suffix('.').unwrap_or(host)
}

/// The path of an address, without what is asked of it.
pub(super) fn path(url: &str) -> &str {
    parts(url).1
}

/// What stands before the path, and the path.
fn parts(url: &str) -> (&str, &str) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    rest.split_at(rest.find('/').unwrap_or(rest.len()))
}

/// Whether a host is left blank, as in `x.x.x.x`.
fn is_blank(host: &str) -> bool {
    host.contains('.') && host.split('.').all(|part| part == "x")
}

/// Where the number leads that `2130706433`, `0x7f.1` and `0177.0.0.1` are other spellings of.
fn spelled(host: &str) -> Option<Reach> {
    let parts: Vec<&str> = host.split('.').collect();
    let is_number = |part: &&str| {
        let hex = part.strip_prefix("0x");
        let is_hex = hex.is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
        is_hex || !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    if parts.len() > 4 || !parts.iter().all(is_number) {
        return None;
    }
    let values: Option<Vec<u32>> = parts.iter().map(|part| value(part)).collect();
    let number = values.and_then(|values| joined(&values));
    Some(number.map_or(Reach::Number, of_v4))
}

/// The value of a part: in hex behind `0x`, in octal behind `0`.
fn value(part: &str) -> Option<u32> {
    match part.strip_prefix("0x") {
        Some("") => Some(0),
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None if part.len() > 1 && part.starts_with('0') => u32::from_str_radix(part, 8).ok(),
        None => part.parse().ok(),
    }
}

/// The parts as one number: the last fills what the others leave.
fn joined(values: &[u32]) -> Option<Ipv4Addr> {
    let (last, first) = values.split_last()?;
    let mut number = 0;
    for (value, shift) in first.iter().zip([24, 16, 8]) {
        number |= u32::from(u8::try_from(*value).ok()?) << shift;
    }
    let room = u32::MAX.checked_shr(8 * u32::try_from(first.len()).ok()?)?;
    (*last <= room).then(|| Ipv4Addr::from(number | last))
}

fn of_v4(number: Ipv4Addr) -> Reach {
    let is_local = number.is_loopback()
        || number.is_private()
        || number.is_link_local()
        || number.is_unspecified()
        || number.is_documentation()
        // Which everybody writes for any address, and nobody can rent.
        || number.octets() == [1, 2, 3, 4];
    if is_local {
        Reach::Local
    } else {
        Reach::Number
    }
}

fn of_v6(number: Ipv6Addr) -> Reach {
    if let Some(number) = number.to_ipv4_mapped() {
        return of_v4(number);
    }
    let is_local = number.is_loopback()
        || number.is_unspecified()
        || number.is_unique_local()
        || number.is_unicast_link_local()
        // Those of documents.
        || number.segments().starts_with(&[0x2001, 0xdb8]);
    if is_local {
        Reach::Local
    } else {
        Reach::Number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_what_a_program_connects_to() {
        for (url, expected) in [
            ("https://a.b.test:80/x@y", "a.b.test"),
            ("http://127.0.0.1@a.test/", "a.test"),
            ("http://a:b@c.test@d.test:1?x=/", "d.test"),
            ("http://a.test./x", "a.test"),
            ("http://[::1]:80/x", "::1"),
            ("http://[::1]@a.test/x", "a.test"),
            ("http://a.test\\@b.test/x", "a.test\\@b.test"),
            ("a.test/x", "a.test"),
        ] {
            assert_eq!(host(url), expected, "{url}");
        }
        assert_eq!(path("https://a.test/b/c?d=/e"), "/b/c");
    }

    #[test]
    fn numbers_are_told_from_names() {
        for local in [
            "localhost",
            "a.localhost",
            "127.0.0.1",
            "10.1.2.3",
            "172.31.0.1",
            "192.168.1.1",
            "169.254.1.1",
            "0.0.0.0",
            "192.0.2.1",
            "198.51.100.7",
            "203.0.113.9",
            "1.2.3.4",
            "x.x.x.x",
            "::1",
            "::",
            "fe80::1%eth0",
            "fd00::1",
            "2001:db8::1",
            "::ffff:10.0.0.1",
            "2130706433",
            "0x7f000001",
            "0177.0.0.1",
            "127.1",
            "0",
        ] {
            assert_eq!(Reach::of(local), Reach::Local, "{local}");
        }
        for number in [
            "1.2.3.45",
            "8.8.4.4",
            "172.32.0.1",
            "765185513",
            "055.0233.0315.0351",
            "45.155.52713",
            "1.2.3.999",
            "99999999999",
            "0x2d.0x9b.205.233",
            "2606:4700::1111",
            "::ffff:8.8.8.8",
        ] {
            assert_eq!(Reach::of(number), Reach::Number, "{number}");
        }
        for name in [
            "",
            "10.a.test",
            "localhost.a.test",
            "127.a.test",
            "x.xyz",
            "1.2.3.4.a.test",
            "1.2.3.4.5",
            "notlocalhost",
            "a..b",
            "0xa.test",
        ] {
            assert_eq!(Reach::of(name), Reach::Named, "{name}");
        }
    }
}

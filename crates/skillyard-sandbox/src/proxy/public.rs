//! Which addresses are of the public internet.

use std::net::{IpAddr, Ipv6Addr};

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

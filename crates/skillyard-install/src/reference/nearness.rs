//! How near to this machine an address is.
//!
//! A stranger's word must not lead from the network to what answers only on this machine, or only in
//! the network around it. Names are not looked up: what they mean is not known before it is asked.

use std::net::{Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use super::git::Remote;
use super::{GitReference, Reference, is_loopback};

/// Names that systems have for themselves beside `localhost` and what is below it.
const OWN_NAMES: &[&str] = &["localhost.localdomain", "ip6-localhost", "ip6-loopback"];

/// How near to this machine something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    /// On this machine.
    Here,
    /// In the network around it, by the number of its address.
    Around,
    /// Somewhere else.
    Elsewhere,
}

impl Nearness {
    /// That of an address, in whatever way it is written.
    pub fn of(url: &Url) -> Self {
        if is_loopback(url) {
            return Self::Here;
        }
        match url.host() {
            Some(Host::Ipv4(ip)) => of_v4(ip),
            Some(Host::Ipv6(ip)) => of_v6(ip),
            Some(Host::Domain(name)) => of_name(name),
            None => Self::Elsewhere,
        }
    }

    /// That of the host which a reference names; a name of a registry or a forge names none.
    pub fn of_reference(reference: &Reference) -> Self {
        match reference {
            Reference::Archive(address)
            | Reference::WellKnown { address, .. }
            | Reference::Git(GitReference {
                remote: Remote::Address(address),
                ..
            }) => Self::of(address.url()),
            Reference::Git(GitReference {
                remote: Remote::Scp { host, .. },
                ..
            }) => of_name(host),
            Reference::Git(_)
            | Reference::Local(_)
            | Reference::Registry(_)
            | Reference::Hosted(_) => Self::Elsewhere,
        }
    }
}

fn of_name(name: &str) -> Nearness {
    let name = name.trim_end_matches('.');
    // Schemes that browsers do not know keep numbers as text, also such as `127.1`.
    match Host::parse(name) {
        Ok(Host::Ipv4(ip)) => of_v4(ip),
        Ok(Host::Ipv6(ip)) => of_v6(ip),
        Ok(Host::Domain(name)) => {
            let is_own = name.rsplit('.').next() == Some("localhost");
            if is_own || OWN_NAMES.contains(&&*name) {
                Nearness::Here
            } else {
                Nearness::Elsewhere
            }
        }
        Err(_) => Nearness::Elsewhere,
    }
}

fn of_v4(ip: Ipv4Addr) -> Nearness {
    // Addresses that providers share among their customers.
    let is_shared = ip.octets()[0] == 100 && ip.octets()[1] & 0xc0 == 64;
    if ip.is_loopback() || ip.octets()[0] == 0 {
        Nearness::Here
    } else if ip.is_private() || ip.is_link_local() || is_shared {
        Nearness::Around
    } else {
        Nearness::Elsewhere
    }
}

fn of_v6(ip: Ipv6Addr) -> Nearness {
    if ip.is_loopback() || ip.is_unspecified() {
        Nearness::Here
    } else if let Some(ip) = ip.to_ipv4() {
        of_v4(ip)
    } else if ip.is_unique_local() || ip.is_unicast_link_local() {
        Nearness::Around
    } else {
        Nearness::Elsewhere
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::ReferenceContext;

    #[test]
    fn hosts_are_what_a_program_connects_to() {
        use Nearness::{Around, Elsewhere, Here};
        for (text, expected) in [
            ("http://localhost:8080/x.zip", Here),
            ("http://LOCALHOST./x.zip", Here),
            ("http://a.localhost/x.zip", Here),
            ("http://localhost.localdomain/x.zip", Here),
            ("http://0/x.zip", Here),
            ("http://2130706433/x.zip", Here),
            ("https://[::ffff:127.0.0.1]/x.zip", Here),
            ("https://[::]/", Here),
            ("git+http://127.0.0.1:1/x.git", Here),
            ("ssh://git@127.1/x.git", Here),
            ("ssh://git@0x7f.1/x.git", Here),
            ("ssh://git@LocalHost/x.git", Here),
            ("git@127.0.0.1:x.git", Here),
            ("git@ip6-localhost:x.git", Here),
            ("https://192.168.1.1/x.zip", Around),
            ("http://169.254.169.254/", Around),
            ("https://100.64.0.1/", Around),
            ("https://[fe80::1]/", Around),
            ("https://[::ffff:10.0.0.1]/", Around),
            ("git@10.1:x.git", Around),
            ("https://192.0.2.2/x.zip", Elsewhere),
            ("https://100.128.0.1/", Elsewhere),
            ("https://localhost.example.com/", Elsewhere),
            ("https://example.com/x.zip", Elsewhere),
            ("git@example.com:x.git", Elsewhere),
            ("corp:x", Elsewhere),
        ] {
            let reference = Reference::parse(text, &ReferenceContext::default()).unwrap();
            assert_eq!(Nearness::of_reference(&reference), expected, "{text}");
        }
    }
}

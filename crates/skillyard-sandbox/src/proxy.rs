//! The way to single hosts: a proxy in our own process, for a program that has no other way out.
//!
//! The program's network namespace is empty but for a loopback. The launcher listens there and
//! sends us the socket; connections to it arrive here, outside. Whoever ignores the proxy
//! variables reaches nothing at all.

mod http;
mod public;
mod server;
mod socks;
mod tunnel;

pub(crate) use server::{Proxy, channel};

use std::ffi::OsString;

use crate::host_rule::HostRule;

/// The port of the loopback device where the proxy listens, inside the program's own network.
pub(crate) const PORT: u16 = 3128;

/// The program's own hosts, to which there is no way through the proxy.
const OWN: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The variables by which programs know that there is a proxy. A host that the rules name is
/// asked for there, also when it has the name of one of the program's own.
pub(crate) fn variables(rules: &[HostRule]) -> Vec<(OsString, OsString)> {
    let web = format!("http://127.0.0.1:{PORT}");
    let all = format!("socks5h://127.0.0.1:{PORT}");
    let is_own = |host: &&str| !rules.iter().any(|rule| rule.names(host));
    let none = OWN.into_iter().filter(is_own).collect::<Vec<_>>().join(",");
    let mut variables = Vec::new();
    for (name, value) in [
        ("HTTP_PROXY", &web),
        ("HTTPS_PROXY", &web),
        ("ALL_PROXY", &all),
        ("NO_PROXY", &none),
    ] {
        variables.push((OsString::from(name.to_ascii_lowercase()), value.into()));
        variables.push((OsString::from(name), value.into()));
    }
    // Node looks at them only where it is told to.
    variables.push(("NODE_USE_ENV_PROXY".into(), "1".into()));
    variables
}

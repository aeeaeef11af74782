//! The proxies that the environment names, with the precedence that curl gives them.

use secrecy::SecretString;
use skillyard_install::fetch::http::{NamedProxy, Proxies};

use super::given;

/// Reads them. That for `http:` is named in small letters only, because whoever asks a web server
/// could set the other.
pub(super) fn read() -> Proxies {
    let direct = given("no_proxy").or_else(|| given("NO_PROXY"));
    Proxies {
        http: first(&["http_proxy", "all_proxy", "ALL_PROXY"]),
        https: first(&["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]),
        direct: direct.and_then(|value| value.into_string().ok()),
    }
}

fn first(variables: &[&'static str]) -> Option<NamedProxy> {
    variables.iter().find_map(|variable| {
        let address = given(variable)?.into_string().ok()?;
        Some(NamedProxy {
            variable,
            address: SecretString::from(address),
        })
    })
}

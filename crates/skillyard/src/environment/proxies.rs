//! The proxies for downloads.

use super::{given, secret};
use crate::secret::Secret;

/// The proxies that the environment names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Proxies {
    /// For `http:`; only in small letters, because a web server could set the other.
    pub(crate) http: Option<Secret>,
    /// For `https:`.
    pub(crate) https: Option<Secret>,
    /// Hosts that are asked directly.
    pub(crate) direct: Option<String>,
}

impl Proxies {
    pub(super) fn read() -> Self {
        let direct = given("no_proxy").or_else(|| given("NO_PROXY"));
        Self {
            http: secret("http_proxy"),
            https: secret("https_proxy").or_else(|| secret("HTTPS_PROXY")),
            direct: direct.and_then(|value| value.into_string().ok()),
        }
    }
}

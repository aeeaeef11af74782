//! How requests are made: timeouts, tries, proxies.

use std::time::Duration;

use super::proxies::Proxies;
use super::retry::Retry;

/// How requests are made.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    /// How we introduce ourselves.
    pub user_agent: String,
    /// How long a connection may take to be made.
    pub connect_timeout: Duration,
    /// How long a server may be silent.
    pub idle_timeout: Duration,
    /// How long the next kibibyte may take.
    pub slow_after: Duration,
    /// How long one download may take in all.
    pub total_timeout: Duration,
    /// How often a server may send us elsewhere.
    pub max_redirects: usize,
    /// When a request is tried again.
    pub retry: Retry,
    /// The proxies of the environment.
    pub proxies: Proxies,
    /// Hosts, with port if it is not 80, that may be asked in the clear.
    pub plain_hosts: Vec<String>,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            user_agent: concat!("skillyard/", env!("CARGO_PKG_VERSION")).to_owned(),
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(30),
            slow_after: Duration::from_mins(1),
            total_timeout: Duration::from_mins(10),
            max_redirects: 5,
            retry: Retry::default(),
            proxies: Proxies::default(),
            plain_hosts: Vec::new(),
        }
    }
}

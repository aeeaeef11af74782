//! What both the user and the skill say: a skill narrows and never widens.

use skillyard_sandbox::{HostRule, Limits, Network, Profile};

use super::Allowed;
use super::declared::Declared;

/// The limits that both sides agree on.
pub(super) fn limits(allowed: &Allowed, declared: &Declared) -> Limits {
    let mut limits = allowed.limits;
    limits.wall = declared
        .timeout
        .map_or(limits.wall, |timeout| limits.wall.min(timeout));
    limits.memory = declared
        .memory
        .map_or(limits.memory, |memory| limits.memory.min(memory));
    limits
}

/// Sets the network to what both sides say, and returns what only the skill would like.
pub(super) fn network(
    profile: &mut Profile,
    allowed: &Allowed,
    declared: &Declared,
) -> Vec<HostRule> {
    let Some(hosts) = &declared.hosts else {
        profile.network = allowed.network.clone();
        return Vec::new();
    };
    profile.network = match &allowed.network {
        Network::None => Network::None,
        Network::Full if hosts.is_empty() => Network::None,
        Network::Full => Network::Hosts(hosts.clone()),
        Network::Hosts(rules) => {
            let both: Vec<_> = rules
                .iter()
                .filter(|rule| hosts.contains(rule))
                .cloned()
                .collect();
            if both.is_empty() {
                Network::None
            } else {
                Network::Hosts(both)
            }
        }
    };
    match &profile.network {
        Network::Full => Vec::new(),
        Network::None => hosts.clone(),
        Network::Hosts(rules) => hosts
            .iter()
            .filter(|host| !rules.contains(host))
            .cloned()
            .collect(),
    }
}

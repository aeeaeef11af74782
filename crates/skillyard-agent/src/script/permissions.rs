//! What a script may do: what the user allows, restricted by what the skill declares in `metadata`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use skillyard_format::sandbox_request::SandboxRequest;
pub(super) use skillyard_format::sandbox_request::WorkspaceRequest as Workspace;
use skillyard_sandbox::{HostRule, Limits, Network, Profile};

use super::ScriptError;
use super::SkillFolders;

/// What the user allows.
#[derive(Debug, Clone, Default)]
pub struct Allowed {
    /// How much it may use.
    pub limits: Limits,
    /// The programs of the system that it may start, by name; `None` for all.
    pub commands: Option<Vec<String>>,
    /// A folder to work in.
    pub workspace: Option<PathBuf>,
    /// Where skills are read from, which no script changes in that folder.
    pub skill_folders: SkillFolders,
    /// Whether that folder may only be read.
    pub read_only: bool,
    /// The network.
    pub network: Network,
    /// Variables that are passed on.
    pub environment: Vec<(OsString, OsString)>,
    /// Whether our own input is passed on.
    pub stdin: bool,
}

impl Allowed {
    /// Adds approved hosts.
    pub fn with_hosts(mut self, hosts: &[String]) -> Result<Self, ScriptError> {
        let rules = hosts.iter().map(|host| host.parse::<HostRule>());
        let rules: Vec<HostRule> = rules.collect::<Result<_, _>>()?;
        self.network = match self.network {
            Network::None if rules.is_empty() => Network::None,
            Network::None => Network::Hosts(rules),
            Network::Full => Network::Full,
            Network::Hosts(mut asked) => {
                let more: Vec<_> = rules.into_iter().filter(|it| !asked.contains(it)).collect();
                asked.extend(more);
                Network::Hosts(asked)
            }
        };
        Ok(self)
    }
}

/// What a skill declares about its scripts. It can only restrict: a skill that declares more than the user
/// allows gets what the user allows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Declared {
    /// The time that is enough.
    pub(super) timeout: Option<Duration>,
    /// The memory that is enough, in bytes.
    pub(super) memory: Option<u64>,
    /// The hosts that are enough; none of them if the list is empty.
    pub(super) hosts: Option<Vec<HostRule>>,
    /// The use of the workspace that is enough.
    pub(super) workspace: Option<Workspace>,
    /// What was not understood.
    pub(super) unread: Vec<String>,
}

impl Declared {
    /// Reads the fields of a frontmatter.
    pub(super) fn read(fields: &Value) -> Self {
        let metadata = fields.get("metadata").and_then(Value::as_object);
        let wish = metadata.map(SandboxRequest::of).unwrap_or_default();
        let mut unread = wish.unread;
        let hosts = wish.hosts.map(|hosts| {
            let mut rules = Vec::new();
            for host in hosts {
                match host.parse::<HostRule>() {
                    Ok(rule) => rules.push(rule),
                    Err(error) => unread.push(format!("`sandbox-network`: {error}")),
                }
            }
            rules
        });
        Self {
            timeout: wish.timeout,
            memory: wish.memory.map(|each| each.saturating_mul(1024 * 1024)),
            hosts,
            workspace: wish.workspace,
            unread,
        }
    }
}

/// The smaller limits of the user and the skill.
pub(super) fn effective_limits(allowed: &Allowed, declared: &Declared) -> Limits {
    let mut limits = allowed.limits;
    limits.wall = declared
        .timeout
        .map_or(limits.wall, |timeout| limits.wall.min(timeout));
    limits.memory = declared
        .memory
        .map_or(limits.memory, |memory| limits.memory.min(memory));
    limits
}

/// Sets the network to what both the user and the skill allow, and returns the hosts that only the skill
/// declares.
pub(super) fn restrict_network(
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

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    #[test]
    fn words_are_read_and_nonsense_is_told() {
        let fields = json!({ "metadata": {
            "sandbox-timeout": "10", "sandbox-memory": 256, "sandbox-network": "a.example, *.b.example *.com", "sandbox-workspace": "read",
        } });
        let declared = Declared::read(&fields);
        assert_eq!(declared.timeout, Some(Duration::from_secs(10)));
        assert_eq!(declared.memory, Some(256 << 20));
        assert_eq!(declared.hosts.unwrap().len(), 2);
        assert_eq!(declared.workspace, Some(Workspace::Read));
        assert_eq!(declared.unread.len(), 1, "{:?}", declared.unread);
        let none = Declared::read(&json!({ "metadata": { "sandbox-network": "none" } }));
        assert_eq!(none.hosts, Some(Vec::new()));
        assert_eq!(
            Declared::read(&json!({ "metadata": 3 })),
            Declared::default()
        );
    }
}

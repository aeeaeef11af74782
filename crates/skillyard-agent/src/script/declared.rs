//! What a skill says about its own scripts. It can only take away: a skill that asks for less
//! gets less, and one that asks for more is only quoted.
//!
//! The words stand in `metadata`; [`SandboxRequest`] reads them.

use std::time::Duration;

use serde_json::Value;
use skillyard_format::sandbox_request::SandboxRequest;
pub(super) use skillyard_format::sandbox_request::WorkspaceRequest as Workspace;
use skillyard_sandbox::HostRule;

/// What a skill says about its own scripts.
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

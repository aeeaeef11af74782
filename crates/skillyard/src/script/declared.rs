//! What a skill says about its own scripts. It can only take away: a skill that asks for less
//! gets less, and one that asks for more is only quoted.
//!
//! The words stand in `metadata`, whose values are texts: `sandbox-timeout: "10"` (seconds),
//! `sandbox-memory: "256"` (megabytes), `sandbox-network: none` or a list of hosts, and
//! `sandbox-workspace: none` or `read`.

use std::time::Duration;

use serde_json::Value;
use skillyard_sandbox::HostRule;

/// What a skill says about its own scripts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Declared {
    /// The time that is enough.
    pub(crate) timeout: Option<Duration>,
    /// The memory that is enough, in bytes.
    pub(crate) memory: Option<u64>,
    /// The hosts that are enough; none of them if the list is empty.
    pub(crate) hosts: Option<Vec<HostRule>>,
    /// The use of the workspace that is enough.
    pub(crate) workspace: Option<Workspace>,
}

/// How much of a workspace a script needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Workspace {
    /// Nothing.
    None,
    /// To read it.
    Read,
}

impl Declared {
    /// Reads the fields of a frontmatter; what is not understood says nothing.
    pub(crate) fn read(fields: &Value) -> Self {
        let word = |key: &str| match fields.get("metadata").and_then(|all| all.get(key)) {
            Some(Value::String(text)) => Some(text.trim().to_owned()),
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => None,
        };
        let number = |key: &str| word(key)?.parse::<u64>().ok().filter(|number| *number > 0);
        Self {
            timeout: number("sandbox-timeout").map(Duration::from_secs),
            memory: number("sandbox-memory").map(|number| number.saturating_mul(1024 * 1024)),
            hosts: word("sandbox-network").map(|text| {
                let words = text.split([' ', ',']).filter(|word| !word.is_empty());
                words
                    .filter_map(|word| word.parse().ok())
                    .filter(|_| text != "none")
                    .collect()
            }),
            workspace: word("sandbox-workspace").and_then(|text| match text.as_str() {
                "none" => Some(Workspace::None),
                "read" => Some(Workspace::Read),
                _ => None,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_are_read_and_nonsense_is_not() {
        let fields = json!({ "metadata": {
            "sandbox-timeout": "10", "sandbox-memory": 256, "sandbox-network": "a.example, *.b.example nonsense!", "sandbox-workspace": "read",
        } });
        let declared = Declared::read(&fields);
        assert_eq!(declared.timeout, Some(Duration::from_secs(10)));
        assert_eq!(declared.memory, Some(256 << 20));
        assert_eq!(declared.hosts.unwrap().len(), 2);
        assert_eq!(declared.workspace, Some(Workspace::Read));
        let none = Declared::read(&json!({ "metadata": { "sandbox-network": "none" } }));
        assert_eq!(none.hosts, Some(Vec::new()));
        let nonsense = json!({ "metadata": { "sandbox-timeout": "-1", "sandbox-memory": [], "sandbox-workspace": "write" } });
        assert_eq!(Declared::read(&nonsense), Declared::default());
        assert_eq!(
            Declared::read(&json!({ "metadata": 3 })),
            Declared::default()
        );
    }
}

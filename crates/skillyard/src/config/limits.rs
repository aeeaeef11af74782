//! `[limits]` and `[resources]`: how much of a skill is shown at once; `[sandbox]`: how much its
//! scripts may use.

use std::time::Duration;

use skillyard_install::tree::TreeLimits;
use skillyard_sandbox::Limits;

use super::Config;

impl Config {
    /// Most skills of one prompt.
    pub(crate) fn max_skills(&self) -> usize {
        self.count("limits.max_skills").unwrap_or(usize::MAX)
    }

    /// Most bytes of a `SKILL.md` that a model gets at once.
    pub(crate) fn max_skill_md_bytes(&self) -> usize {
        self.count("limits.max_skill_md_bytes")
            .unwrap_or(usize::MAX)
    }

    /// Most bytes of a resource that are read at once.
    pub(crate) fn max_resource_bytes(&self) -> u64 {
        let most = self.count("limits.max_resource_bytes");
        most.map_or(u64::MAX, |most| most as u64)
    }

    /// How large a skill may be to be installed.
    pub(crate) fn tree_limits(&self) -> TreeLimits {
        let usual = TreeLimits::default();
        let bytes = self.count("limits.max_bytes");
        TreeLimits {
            files: self.count("limits.max_files").unwrap_or(usual.files),
            bytes: bytes.map_or(usual.bytes, |bytes| bytes as u64),
            ..usual
        }
    }

    /// Whether resources may lie deeper than one folder below the skill.
    pub(crate) fn reads_nested_resources(&self) -> bool {
        self.is_on("resources.nested")
    }

    /// How much scripts may use.
    pub(crate) fn script_limits(&self) -> Limits {
        let count = |key: &str| self.count(key).map(|count| count as u64);
        let mut limits = Limits::default();
        if let Some(seconds) = count("sandbox.timeout") {
            limits.wall = Duration::from_secs(seconds);
            limits.cpu = limits.cpu.max(limits.wall);
        }
        let memory = count("sandbox.memory").map(|count| count * 1024 * 1024);
        limits.memory = memory.unwrap_or(limits.memory);
        limits.processes = count("sandbox.processes").unwrap_or(limits.processes);
        let output = count("sandbox.output").map(|count| count * 1024);
        limits.output = output.unwrap_or(limits.output);
        limits
    }

    /// The programs of the system that scripts may start; all if nobody says.
    pub(crate) fn script_commands(&self) -> Option<Vec<String>> {
        self.list("sandbox.commands")
    }
}

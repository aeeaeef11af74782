//! `[limits]` and `[resources]`: how much of a skill is shown at once.

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

    /// Whether resources may lie deeper than one folder below the skill.
    pub(crate) fn reads_nested_resources(&self) -> bool {
        self.is_on("resources.nested")
    }
}

//! Keys as other tools spell them.

use super::key_pattern::matched;

/// Spellings of other tools, and the keys they mean.
pub(super) const ALIASES: &[(&str, &str)] = &[
    ("skills.registry", "registry.url"),
    ("skills.sources.NAME.type", "sources.NAME.type"),
    ("skills.sources.NAME.url", "sources.NAME.url"),
    ("skills.sources.NAME.auth", "sources.NAME.auth"),
    ("skills.allow_scripts", "scripts.allow"),
    ("app.skills.enabled", "server.skills"),
    ("app.skills.directories", "discovery.directories"),
    ("app.skills.max_skills", "limits.max_skills"),
    ("app.skills.max_skill_md_bytes", "limits.max_skill_md_bytes"),
    ("app.skills.max_resource_bytes", "limits.max_resource_bytes"),
    ("app.skills.activation", "agents.activation"),
];

/// The key's own name, if this is another tool's.
pub(super) fn own_name(key: &str) -> String {
    let found = ALIASES.iter().find_map(|(spelling, own)| {
        let names = matched(spelling, key)?;
        let mut own = (*own).to_owned();
        for (placeholder, name) in names {
            own = own.replace(placeholder, name);
        }
        Some(own)
    });
    found.unwrap_or_else(|| key.to_owned())
}

/// All spellings of a key, its own name first.
pub(super) fn spellings(own: &str) -> Vec<String> {
    let others = ALIASES.iter().filter_map(|(spelling, pattern)| {
        let names = matched(pattern, own)?;
        let mut spelling = (*spelling).to_owned();
        for (placeholder, name) in names {
            spelling = spelling.replace(placeholder, name);
        }
        Some(spelling)
    });
    std::iter::once(own.to_owned()).chain(others).collect()
}

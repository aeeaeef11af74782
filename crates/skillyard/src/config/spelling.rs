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
pub(crate) fn own_name(key: &str) -> String {
    let mut found = ALIASES.iter();
    let found = found.find_map(|(spelling, own)| translated(key, spelling, own));
    found.unwrap_or_else(|| key.to_owned())
}

/// All spellings of a key, its own name first.
pub(super) fn spellings(own: &str) -> Vec<String> {
    let others = ALIASES.iter();
    let others = others.filter_map(|(spelling, pattern)| translated(own, pattern, spelling));
    std::iter::once(own.to_owned()).chain(others).collect()
}

/// `other` with the names that `key` puts into `pattern`, if it fits.
fn translated(key: &str, pattern: &str, other: &str) -> Option<String> {
    let names = matched(pattern, key)?.into_iter();
    Some(names.fold(other.to_owned(), |text, (placeholder, name)| {
        text.replace(placeholder, name)
    }))
}

//! The names of frontmatter fields.

/// The fields of the specification, sorted.
pub const STANDARD_FIELDS: [&str; 6] = [
    "allowed-tools",
    "compatibility",
    "description",
    "license",
    "metadata",
    "name",
];

/// The fields Claude Code adds, which Skillyard knows too.
pub const CLIENT_FIELDS: [&str; 13] = [
    "agent",
    "argument-hint",
    "arguments",
    "context",
    "disable-model-invocation",
    "disallowed-tools",
    "effort",
    "hooks",
    "model",
    "paths",
    "shell",
    "user-invocable",
    "when_to_use",
];

/// Those of [`CLIENT_FIELDS`] that change nothing here; they stay in the file for the clients that
/// act on them.
pub const KEPT_FIELDS: [&str; 7] = [
    "agent", "context", "effort", "hooks", "model", "paths", "shell",
];

/// Whether `key` is a field of the specification or of a well-known client.
pub fn is_known_field(key: &str) -> bool {
    STANDARD_FIELDS.contains(&key) || CLIENT_FIELDS.contains(&key)
}

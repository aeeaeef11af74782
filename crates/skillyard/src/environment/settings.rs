//! Variables that set keys of the configuration.

/// The variables that set a key of the configuration: the layer between files and flags.
///
/// Lists are separated by commas, folders as in `PATH`.
pub(crate) const SETTINGS: &[(&str, &str)] = &[
    ("SKILLYARD_DISCOVERY_DIRECTORIES", "discovery.directories"),
    ("SKILLYARD_DISCOVERY_PRECEDENCE", "discovery.precedence"),
    (
        "SKILLYARD_DISCOVERY_TRUST_PROJECTS",
        "discovery.trust_projects",
    ),
    ("SKILLYARD_DISCOVERY_MAX_DEPTH", "discovery.max_depth"),
    ("SKILLYARD_DISCOVERY_MAX_FOLDERS", "discovery.max_folders"),
    ("SKILLYARD_SKILLS_ENABLED", "skills.enabled"),
    ("SKILLYARD_SKILLS_DISABLED", "skills.disabled"),
    ("SKILLYARD_SKILLS_ALLOW", "skills.allow"),
    ("SKILLYARD_SKILLS_DENY", "skills.deny"),
    ("SKILLYARD_REGISTRY_URL", "registry.url"),
    ("SKILLYARD_REGISTRY_AUTH", "registry.auth"),
    ("SKILLYARD_GITHUB_URL", "hosts.github.url"),
    ("SKILLYARD_GITHUB_API", "hosts.github.api"),
    ("SKILLYARD_GITHUB_TOKEN", "hosts.github.token"),
    ("SKILLYARD_GITLAB_URL", "hosts.gitlab.url"),
    ("SKILLYARD_GITLAB_API", "hosts.gitlab.api"),
    ("SKILLYARD_GITLAB_TOKEN", "hosts.gitlab.token"),
    ("SKILLYARD_INSTALL_SCOPE", "install.scope"),
    ("SKILLYARD_INSTALL_AGENTS", "install.agents"),
    ("SKILLYARD_INSTALL_LINK", "install.link"),
    ("SKILLYARD_SCRIPTS_ALLOW", "scripts.allow"),
    ("SKILLYARD_SESSIONS_DATABASE", "sessions.database"),
    ("SKILLYARD_SERVER_SKILLS", "server.skills"),
    ("SKILLYARD_SERVER_REGISTRY", "server.registry"),
    ("SKILLYARD_SERVER_PUBLIC_REGISTRY", "server.public_registry"),
    ("SKILLYARD_SERVER_LOG_FORMAT", "server.log_format"),
    ("SKILLYARD_AUDIT_KEEP", "audit.keep"),
    ("SKILLYARD_LIMITS_MAX_SKILLS", "limits.max_skills"),
    (
        "SKILLYARD_LIMITS_MAX_SKILL_MD_BYTES",
        "limits.max_skill_md_bytes",
    ),
    (
        "SKILLYARD_LIMITS_MAX_RESOURCE_BYTES",
        "limits.max_resource_bytes",
    ),
    ("SKILLYARD_LIMITS_MAX_FILES", "limits.max_files"),
    ("SKILLYARD_LIMITS_MAX_BYTES", "limits.max_bytes"),
    ("SKILLYARD_RESOURCES_NESTED", "resources.nested"),
    ("SKILLYARD_AGENTS_ACTIVATION", "agents.activation"),
    ("SKILLYARD_AGENTS_ROUTER_MODEL", "agents.router_model"),
    ("SKILLYARD_AGENTS_ROUTED_SKILLS", "agents.routed_skills"),
    ("SKILLYARD_AGENTS_MODEL", "agents.model"),
    ("SKILLYARD_TELEMETRY_ENDPOINT", "telemetry.endpoint"),
    ("SKILLYARD_SANDBOX_TIMEOUT", "sandbox.timeout"),
    ("SKILLYARD_SANDBOX_MEMORY", "sandbox.memory"),
    ("SKILLYARD_SANDBOX_PROCESSES", "sandbox.processes"),
    ("SKILLYARD_SANDBOX_OUTPUT", "sandbox.output"),
    ("SKILLYARD_SANDBOX_COMMANDS", "sandbox.commands"),
    ("SKILLYARD_TOOLS_DENY", "tools.deny"),
    ("SKILLYARD_MCP_GATEWAY", "mcp.gateway"),
    ("SKILLYARD_MCP_RUN", "mcp.run"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::keys::entries;
    use crate::config::schema;
    use crate::config::schema::KeyLookup;

    #[test]
    fn every_variable_sets_a_key_and_every_key_has_one() {
        for (variable, key) in SETTINGS {
            assert!(
                matches!(schema::find(key), KeyLookup::Key(..)),
                "{variable}"
            );
            let name = key.replace("hosts.", "").replace('.', "_").to_uppercase();
            assert_eq!(*variable, format!("SKILLYARD_{name}"));
        }
        // Parts in capitals stand for names of the user's own, and what has no part is a file's alone.
        let is_fixed = |key: &&str| key.contains('.') && !key.contains(char::is_uppercase);
        for key in entries().map(|entry| entry.key).filter(is_fixed) {
            assert!(SETTINGS.iter().any(|(_, known)| *known == key), "{key}");
        }
    }
}

//! Where the user's files are: all in Skillyard's own folder.

use std::path::PathBuf;

use super::Environment;

impl Environment {
    /// The user's configuration.
    pub(crate) fn config_file(&self) -> PathBuf {
        self.skillyard_home.join("config.toml")
    }

    /// The agents of the user.
    pub(crate) fn agents_folder(&self) -> PathBuf {
        self.skillyard_home.join("agents")
    }

    /// Whom the user trusts to sign.
    pub(crate) fn trust_file(&self) -> PathBuf {
        self.skillyard_home.join("trust.toml")
    }

    /// Whom the organisation trusts to sign, as it says so under its signature.
    pub(crate) fn signed_policy_file(&self) -> PathBuf {
        self.skillyard_home.join("policy.json")
    }

    /// Who signed what before.
    pub(crate) fn pins_file(&self) -> PathBuf {
        self.skillyard_home.join("pins.toml")
    }

    /// The user's own keys.
    pub(crate) fn keys_folder(&self) -> PathBuf {
        self.skillyard_home.join("keys")
    }

    /// Sigstore's trust root, if the user brought one.
    pub(crate) fn sigstore_file(&self) -> PathBuf {
        self.skillyard_home.join("sigstore/trusted_root.json")
    }

    /// The folder of the audit log.
    pub(crate) fn logs_folder(&self) -> PathBuf {
        self.skillyard_home.join("logs")
    }

    /// What is known of models.
    pub(crate) fn models_file(&self) -> PathBuf {
        self.skillyard_home.join("index").join("models.json")
    }

    /// What was said at the prompt of `chat`.
    pub(crate) fn history_file(&self) -> PathBuf {
        self.skillyard_home.join("history")
    }

    /// The sessions of the user.
    pub(crate) fn sessions_file(&self) -> PathBuf {
        self.skillyard_home.join("sessions.db")
    }

    /// Where programs of MCP servers start, unless they are to start in the project.
    pub(crate) fn servers_folder(&self) -> PathBuf {
        self.skillyard_home.join("mcp-servers")
    }

    /// What the user has approved.
    pub(crate) fn approvals_file(&self) -> PathBuf {
        self.skillyard_home.join("approvals.toml")
    }

    /// The key of what was allowed for sessions.
    pub(crate) fn grants_key_file(&self) -> PathBuf {
        self.skillyard_home.join("grants.key")
    }

    /// What the logs of registries were when they were last seen.
    pub(crate) fn registries_file(&self) -> PathBuf {
        self.skillyard_home.join("registries.json")
    }
}

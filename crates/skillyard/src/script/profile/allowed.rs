//! What the user allows to a script.

use skillyard_agent::script::Allowed;

use crate::config::Config;

/// What the configuration allows to every script.
pub(crate) fn configured(config: &Config) -> Allowed {
    Allowed {
        limits: config.script_limits(),
        commands: config.script_commands(),
        ..Allowed::default()
    }
}

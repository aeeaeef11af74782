//! The orders of sources that other runtimes have.

use std::fmt;

use crate::source::SourceOrder;

/// The order of sources, after the organisation's pinned folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preset {
    /// Project, user, extra, organisation, builtin.
    #[default]
    Default,
    /// Plugin, project, claude, user, bundled.
    AgentHarness,
    /// `.skills`, `.agents/skills` upward, home.
    Remcochat,
    /// Builtin, organisation, user, third party.
    KeepUp,
    /// Personal before project.
    ClaudeCode,
    /// The folders of the default order, with their kinds in another one.
    Own(SourceOrder),
}

/// Where the agent harness keeps what was installed, before everything else.
pub(super) const PLUGINS: &str = ".agent/plugins";

/// The names of the presets.
pub const PRESETS: [(&str, Preset); 5] = [
    ("default", Preset::Default),
    ("agent-harness", Preset::AgentHarness),
    ("remcochat", Preset::Remcochat),
    ("keep-up", Preset::KeepUp),
    ("claude-code", Preset::ClaudeCode),
];

impl Preset {
    /// The folder that it reads, in projects and at home, where it does not read the one that most
    /// agents share.
    pub fn folder(self) -> Option<&'static str> {
        match self {
            Self::Default | Self::Remcochat | Self::Own(_) => None,
            Self::AgentHarness => Some(".agent/skills"),
            Self::KeepUp => Some(".keep-up/skills"),
            Self::ClaudeCode => Some(".claude/skills"),
        }
    }

    /// The folder for what is installed for the user: some runtimes keep that apart from what the user
    /// wrote.
    pub fn installed_folder(self) -> Option<&'static str> {
        match self {
            Self::AgentHarness => Some(PLUGINS),
            other => other.folder(),
        }
    }
}

/// As the configuration has it.
impl fmt::Display for Preset {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, PRESETS.iter().find(|(_, each)| each == self)) {
            (Self::Own(order), _) => order.fmt(formatter),
            (_, named) => formatter.write_str(named.map_or("", |(name, _)| name)),
        }
    }
}

//! What the user allows to a script.

use std::ffi::OsString;
use std::path::PathBuf;

use skillyard_sandbox::{HostRule, Limits, Network};

use super::ScriptError;
use super::SkillFolders;

/// What the user allows.
#[derive(Debug, Clone, Default)]
pub struct Allowed {
    /// How much it may use.
    pub limits: Limits,
    /// The programs of the system that it may start, by their names; all if nobody says.
    pub commands: Option<Vec<String>>,
    /// A folder to work in.
    pub workspace: Option<PathBuf>,
    /// Where skills are read from, which no script changes in that folder.
    pub skill_folders: SkillFolders,
    /// Whether that folder may only be read.
    pub read_only: bool,
    /// The network.
    pub network: Network,
    /// Variables that are passed on.
    pub environment: Vec<(OsString, OsString)>,
    /// Whether our own input is passed on.
    pub stdin: bool,
}

impl Allowed {
    /// The same with hosts that were approved.
    pub fn with_hosts(mut self, hosts: &[String]) -> Result<Self, ScriptError> {
        let rules = hosts.iter().map(|host| host.parse::<HostRule>());
        let rules: Vec<HostRule> = rules.collect::<Result<_, _>>()?;
        self.network = match self.network {
            Network::None if rules.is_empty() => Network::None,
            Network::None => Network::Hosts(rules),
            Network::Full => Network::Full,
            Network::Hosts(mut asked) => {
                let more: Vec<_> = rules.into_iter().filter(|it| !asked.contains(it)).collect();
                asked.extend(more);
                Network::Hosts(asked)
            }
        };
        Ok(self)
    }
}

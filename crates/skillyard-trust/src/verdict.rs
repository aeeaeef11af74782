//! What a skill may do: a decision and its explanation.

use serde::Serialize;

use crate::approval::SkillApproval;
use crate::policy::Policy;
use crate::provenance::{Origin, Provenance};
use crate::tier::{Ask, Scripts, Tier, TrustRow};

/// What policy says about a skill, before anything was approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The trust tier of the skill.
    pub tier: Tier,
    /// What may become of its scripts.
    pub scripts: Scripts,
    /// When the user is asked.
    pub ask: Ask,
    /// Why.
    pub reasons: Vec<String>,
    /// The row that the organisation locked so that no approval gives its scripts a network.
    #[serde(skip)]
    pub keeps_offline: Option<TrustRow>,
    #[serde(skip)]
    origin: Origin,
}

/// A global opt-in: `--allow-scripts`, or `scripts.allow` in the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OptIn {
    /// The user wants to be asked.
    #[default]
    No,
    /// The user answers every question with yes. A block is not a question.
    Yes,
}

/// Whether a script may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptVerdict {
    /// It runs in the sandbox, with this network.
    Run {
        /// Which network it may use.
        network: NetworkGrant,
        /// Why.
        reason: String,
    },
    /// The user must be asked first.
    Ask {
        /// Which network it may use once the user has said yes.
        network: NetworkGrant,
        /// Why.
        reason: String,
    },
    /// It does not run.
    Blocked {
        /// Why.
        reason: String,
        /// What would change that.
        remedy: Remedy,
    },
}

/// Which network a run may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkGrant {
    /// The hosts the run asks for, and these.
    Asked(Vec<String>),
    /// These hosts alone.
    Only(Vec<String>),
}

impl NetworkGrant {
    /// Those of the hosts a run asks for that it may not use.
    pub fn refused<'a>(&self, hosts: &'a [String]) -> Vec<&'a str> {
        match self {
            Self::Asked(_) => Vec::new(),
            Self::Only(granted) => hosts
                .iter()
                .filter(|host| !granted.contains(host))
                .map(String::as_str)
                .collect(),
        }
    }
}

/// What lifts a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// An approval of the skill's scripts.
    ApproveSkill,
    /// Trust in the project's folder.
    TrustProject,
    /// Nothing: a policy decided.
    None,
}

/// What policy says about a skill.
pub fn assess(policy: &Policy, provenance: &Provenance) -> Verdict {
    let (cell, notes) = policy.cell(provenance);
    let mut reasons = vec![format!("it comes from {provenance}")];
    reasons.extend(notes);
    Verdict {
        tier: cell.tier,
        scripts: cell.scripts,
        ask: cell.ask,
        reasons,
        keeps_offline: policy.keeps_offline(provenance),
        origin: provenance.origin,
    }
}

impl Verdict {
    /// Whether a script may run, given what was approved of exactly these bytes.
    pub fn script(&self, approval: Option<&SkillApproval>, opt_in: OptIn) -> ScriptVerdict {
        let hosts = self.hosts(approval).to_vec();
        let network = match self.scripts {
            Scripts::Sandboxed => NetworkGrant::Asked(hosts),
            Scripts::SandboxedOffline | Scripts::Blocked => NetworkGrant::Only(hosts),
        };
        let why = self.reasons.join("; ");
        if let Some(remedy) = self.lasting_block() {
            let reason = format!("{why}; its scripts are blocked");
            return ScriptVerdict::Blocked { reason, remedy };
        }
        if let Some(approval) = approval.filter(|approval| approval.scripts) {
            let reason = format!("its scripts were approved {}", approval.when());
            return ScriptVerdict::Run { network, reason };
        }
        if self.ask == Ask::OptIn {
            return ScriptVerdict::Blocked {
                reason: format!("{why}; its scripts are blocked until they are approved"),
                remedy: Remedy::ApproveSkill,
            };
        }
        match (self.ask.on_first_run(), opt_in) {
            (false, _) => ScriptVerdict::Run {
                network,
                reason: why,
            },
            (true, OptIn::Yes) => ScriptVerdict::Run {
                network,
                reason: "scripts are allowed in general".into(),
            },
            (true, OptIn::No) => ScriptVerdict::Ask {
                network,
                reason: why,
            },
        }
    }

    /// The hosts that were approved of exactly these bytes, as far as that counts.
    pub fn hosts<'a>(&self, approval: Option<&'a SkillApproval>) -> &'a [String] {
        let approval = approval.filter(|_| self.keeps_offline.is_none());
        approval.map_or(&[], |approval| &approval.network)
    }

    /// A block that no approval of the skill lifts.
    fn lasting_block(&self) -> Option<Remedy> {
        match (self.scripts, self.ask, self.origin) {
            (Scripts::Blocked, _, Origin::ProjectUntrusted) => Some(Remedy::TrustProject),
            (Scripts::Blocked, Ask::OptIn, _) => None,
            (Scripts::Blocked, _, _) => Some(Remedy::None),
            _ => None,
        }
    }
}

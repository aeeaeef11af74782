//! Agents: a name for a way to work, in versions that never change.
//!
//! A version pins its skills by digest. It does not stop a skill from changing; it says so.

mod store;

use serde::{Deserialize, Serialize};
use skillyard_format::Digest;

use crate::settings::{Limits, Settings, Strategy, ToolMode};
use crate::shelf::{Shelf, ShelfError};
use crate::tool::WorkspaceTools;

pub use store::{AgentError, AgentStore, Kept};

/// What a version of an agent says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The model, as `server/name`.
    pub model: String,
    /// What the agent is for, in a line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What it is told.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instructions: String,
    /// Who picks skills.
    #[serde(default)]
    pub strategy: Strategy,
    /// The model that a router asks, as `server/name`; its own without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub router_model: Option<String>,
    /// How the model calls tools.
    #[serde(default)]
    pub tool_mode: ToolMode,
    /// Whether it works on files.
    #[serde(default)]
    pub workspace: WorkspaceTools,
    /// The MCP servers whose tools and skills it has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mcp: Vec<String>,
    /// How much it may use.
    #[serde(default)]
    pub limits: Limits,
    /// Its skills.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<Pin>,
}

/// A skill as it was when the version was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The skill.
    pub name: String,
    /// Its tree digest.
    pub digest: String,
}

/// How a pinned skill fares now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum Drift {
    /// It is what it was.
    Same,
    /// It has changed.
    Changed {
        /// What it consists of now.
        now: String,
    },
    /// It is not here, or not enabled.
    Missing,
}

impl Definition {
    /// How it works.
    pub fn settings(&self) -> Settings {
        Settings {
            model: self.model.clone(),
            instructions: self.instructions.clone(),
            strategy: self.strategy,
            router_model: self.router_model.clone(),
            tool_mode: self.tool_mode,
            workspace: self.workspace,
            mcp: self.mcp.clone(),
            limits: self.limits.clone(),
        }
    }
}

impl Definition {
    /// How its skills fare, given those that are here now.
    pub fn drift(&self, here: &Shelf) -> Vec<(Pin, Drift)> {
        let pins = self.skills.iter().cloned();
        pins.map(|pin| {
            let drift = pin.drift(here.digest(&pin.name).ok().as_ref());
            (pin, drift)
        })
        .collect()
    }
}

/// Skills as they are now, sorted by name, each once.
pub fn pins(shelf: &Shelf, names: &[String]) -> Result<Vec<Pin>, ShelfError> {
    let mut pins = Vec::new();
    for name in names
        .iter()
        .map(|name| name.trim())
        .filter(|name| !name.is_empty())
    {
        let found = shelf.named(name)?;
        pins.push(Pin {
            name: found.skill.record.name.to_string(),
            digest: shelf.digest(name)?.to_string(),
        });
    }
    pins.sort_by(|a, b| a.name.cmp(&b.name));
    pins.dedup_by(|a, b| a.name == b.name);
    Ok(pins)
}

impl Pin {
    /// How it fares, given what the skill consists of now.
    pub fn drift(&self, now: Option<&Digest>) -> Drift {
        match now.map(Digest::to_string) {
            Some(now) if now == self.digest => Drift::Same,
            Some(now) => Drift::Changed { now },
            None => Drift::Missing,
        }
    }
}

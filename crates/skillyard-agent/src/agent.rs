//! Agents: a name for a way to work, in versions that never change.
//!
//! A version pins its skills by digest. It does not stop a skill from changing; it says so.

mod error;
mod store;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use skillyard_catalog::selection::{NamePattern, PatternError};
use skillyard_format::Digest;

use crate::settings::{AgentLimits, AgentSettings, Results, Strategy, ToolMode};
use crate::shelf::{Shelf, ShelfError};
use crate::tool_spec::WorkspaceTools;

pub use error::AgentError;
pub use store::{AgentChange, AgentStore, StoredAgent};

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
    pub limits: AgentLimits,
    /// Patterns of further skills: those that are here when a session begins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<String>,
    /// Patterns of skills that it never has, also where a pattern or a name above means them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denied: Vec<String>,
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
    /// Where it came from, as `install` takes it; nothing where it was written here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
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
    pub fn settings(&self) -> AgentSettings {
        AgentSettings {
            model: self.model.clone(),
            instructions: self.instructions.clone(),
            strategy: self.strategy,
            router_model: self.router_model.clone(),
            tool_mode: self.tool_mode,
            results: Results::Marked,
            workspace: self.workspace,
            mcp: self.mcp.clone(),
            limits: self.limits.clone(),
        }
    }
}

impl Definition {
    /// Gives it these skills: names are pinned as they are now, patterns are kept. What is both is
    /// a name unless it means other skills, too.
    pub fn give(&mut self, here: &Shelf, words: &[String]) -> Result<(), GivenError> {
        let words = words
            .iter()
            .map(|word| word.trim())
            .filter(|word| !word.is_empty());
        let known = here
            .all()
            .iter()
            .map(|each| each.skill.record.name.as_str());
        let is_pattern = |word: &&str| {
            let is_name = NamePattern::is_name(word, known.clone());
            NamePattern::is_one(word) && !is_name
        };
        let (patterns, names): (Vec<&str>, Vec<&str>) = words.partition(is_pattern);
        for pattern in patterns {
            NamePattern::new(pattern)?;
            self.patterns.push(pattern.to_owned());
        }
        self.patterns.sort_unstable();
        self.patterns.dedup();
        let new = pins(here, &names)?;
        self.skills
            .retain(|pin| new.iter().all(|each| each.name != pin.name));
        self.skills.extend(new);
        self.skills.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(())
    }

    /// Keeps the skills with these names or patterns from it, and no others.
    pub fn deny(&mut self, words: &[String]) -> Result<(), PatternError> {
        let words = words.iter().map(|word| word.trim());
        let words: BTreeSet<&str> = words.filter(|word| !word.is_empty()).collect();
        for word in &words {
            NamePattern::new(word)?;
        }
        self.denied = words.into_iter().map(str::to_owned).collect();
        Ok(())
    }

    /// The pattern that keeps a skill from it, if one does.
    pub fn denial(&self, name: &str) -> Option<&str> {
        let is_denied = |text: &&String| {
            let pattern = NamePattern::new(text);
            pattern.is_ok_and(|pattern| pattern.matches_in_any_case(name))
        };
        self.denied.iter().find(is_denied).map(String::as_str)
    }

    /// The names of its skills, given those that are here now.
    pub fn reach(&self, here: &Shelf) -> Vec<String> {
        let (patterns, denied) = (read(&self.patterns), read(&self.denied));
        let here = here
            .all()
            .iter()
            .map(|each| each.skill.record.name.as_str());
        let matching = here.filter(|name| patterns.iter().any(|each| each.matches(name)));
        let pinned = self.skills.iter().map(|pin| pin.name.as_str());
        let kept = |name: &&str| !denied.iter().any(|each| each.matches_in_any_case(name));
        let names = pinned.chain(matching).filter(kept);
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

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

/// Why an agent cannot be given a skill.
#[derive(Debug, thiserror::Error)]
pub enum GivenError {
    /// It cannot be had.
    #[error(transparent)]
    Skill(#[from] ShelfError),
    /// It is no pattern.
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

/// Patterns that were looked at when they were given.
fn read(patterns: &[String]) -> Vec<NamePattern> {
    let patterns = patterns.iter().map(|pattern| NamePattern::new(pattern));
    patterns.filter_map(Result::ok).collect()
}

/// Skills as they are now, sorted by name, each once.
fn pins(shelf: &Shelf, names: &[&str]) -> Result<Vec<Pin>, ShelfError> {
    let mut pins = Vec::new();
    for name in names {
        let found = shelf.named(name)?;
        pins.push(Pin {
            name: found.skill.record.name.clone(),
            digest: shelf.digest(name)?.to_string(),
            reference: None,
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

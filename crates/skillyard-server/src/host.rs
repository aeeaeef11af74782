//! What the server needs from the program around it.

pub(crate) mod install;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use skillyard_agent::host::{Executed, Ran};
use skillyard_agent::mcp_client::{PublishedSkill, Servers};
use skillyard_agent::telemetry::TelemetryEvent;
use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_catalog::resource::ReadLimits;
use skillyard_catalog::selection::Selection;
use skillyard_catalog::walk::WatchedPath;
use skillyard_catalog::{Catalog, CatalogSkill};
use skillyard_format::package::Digest;
use skillyard_http::cause::Cause;
use skillyard_trust::guard::{ActiveSkill, GuardDecision, GuardRequest};

use self::install::{Installation, Order, Refusal};
use crate::access::{Access, Holder};
use crate::log::LogLine;

/// The program around the server: it knows the environment, the configuration and the user.
pub trait Host: Send + Sync + 'static {
    /// Finds every skill, now.
    fn load(&self) -> Result<Catalog, HostError>;

    /// The files that decide which skills may be used, as they are now: when one of them changes,
    /// skills are looked for again.
    fn deciders(&self) -> Vec<WatchedPath> {
        Vec::new()
    }

    /// How far a skill with these files is trusted.
    fn standing(&self, skill: &CatalogSkill, digest: Option<&Digest>) -> SkillTrust;

    /// What is wrong with a skill's files, if they are not those that were installed and nobody
    /// approved them. Only of a skill that was installed `now` is asked, which hashes them; what
    /// cannot be hashed was altered, too.
    fn altered(
        &self,
        skill: &CatalogSkill,
        now: &dyn Fn() -> Option<Digest>,
    ) -> Option<Alteration> {
        let _ = (skill, now);
        None
    }

    /// Why a skill must not be used any more, if it or whoever signed it is revoked.
    fn revoked(&self, skill: &CatalogSkill) -> Option<Revocation> {
        let _ = skill;
        None
    }

    /// The same of a skill of an MCP server, by what the server lists of it.
    fn revoked_elsewhere(&self, skill: &PublishedSkill) -> Option<String> {
        let _ = skill;
        None
    }

    /// The names of skills that are locked, revoked and in no folder, and since when and why.
    fn revoked_absent(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// How far each skill is trusted, in a word.
    fn tiers(&self, skills: &[CatalogSkill]) -> Vec<String>;

    /// Lets a skill be used, or keeps it out of prompts; tells whether that changed anything.
    fn switch(&self, name: &str, switch: Switch, holder: &Holder) -> Result<bool, HostError>;

    /// Whether a tool may be called while these skills are active.
    fn guard(
        &self,
        skills: &[ActiveSkill],
        request: &GuardRequest,
    ) -> Result<GuardDecision, HostError>;

    /// Writes down what happened.
    fn record(&self, event: &Event) -> Result<(), HostError>;

    /// The folder of the audit log.
    fn audit_folder(&self) -> &Path;

    /// The user's home directory, which pages show as `~`.
    fn home(&self) -> Option<&Path>;

    /// About how many tokens a chat has for a skill once it is activated, where that can be told.
    fn activation_tokens(&self, _skill: &CatalogSkill) -> Option<usize> {
        None
    }

    /// Further places of this machine that texts may name, such as where skills were installed
    /// from; only admins see them.
    fn places(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// The folder in which indexes are kept.
    fn index_folder(&self) -> Option<&Path>;

    /// What one read of a file may give.
    fn read_limits(&self) -> ReadLimits;

    /// How much of skills a model is given at once.
    fn portions(&self) -> Portions {
        Portions::default()
    }

    /// The folder of a skill, for who has the files of this machine.
    fn folder(&self, skill: &CatalogSkill) -> Option<PathBuf> {
        skill.record.folder.canonicalize().ok()
    }

    /// Which skills are wanted, those of MCP servers among them.
    fn selection(&self) -> Result<Arc<Selection>, HostError> {
        Ok(Arc::default())
    }

    /// Whether skills are offered at all.
    fn offers_skills(&self) -> bool {
        true
    }

    /// Who may ask, where that can change while the server runs.
    fn access(&self) -> Result<Option<Access>, HostError> {
        Ok(None)
    }

    /// Plans an installation, or carries a plan out; nothing is changed once `stop` is true.
    fn install(&self, order: &Order, stop: &AtomicBool) -> Result<Installation, Refusal>;

    /// Takes note of what an agent elsewhere did, for whoever receives traces.
    fn heard(&self, event: &TelemetryEvent<'_>) {
        let _ = event;
    }

    /// Writes a line of the server's own log.
    fn log(&self, line: &LogLine<'_>) {
        let _ = line;
    }

    /// The MCP servers whose tools and skills are offered further, if any.
    fn upstream(&self) -> Option<Arc<Servers>> {
        None
    }

    /// Whether the user is asked before an agent calls a tool of this server, where that can be.
    fn asks_before(&self, server: &str) -> bool {
        let _ = server;
        true
    }

    /// Whether agents of others may run scripts.
    fn runs(&self) -> Runs {
        Runs::Never
    }

    /// Runs a script in the sandbox, if the skill still consists of what was decided about, and
    /// writes down that it begins; how it ended is for the caller to write down.
    fn run_script(&self, run: &ScriptRun<'_>, _cancel: &AtomicBool) -> Executed<HostError> {
        let name = &run.skill.record.name;
        let reason = format!("scripts of `{name}` are not run here");
        let mut event = run.asked.clone().skill(name.as_str());
        event.kind = EventKind::ScriptExecuted;
        Executed {
            event: event.ended(Outcome::Failed, &reason),
            ran: Err(HostError::new(reason)),
        }
    }
}

/// How much of skills a model is given at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Portions {
    /// Most skills of one prompt.
    pub skills: usize,
    /// Most bytes of a skill's own file.
    pub instruction_bytes: usize,
}

impl Default for Portions {
    fn default() -> Self {
        Self {
            skills: usize::MAX,
            instruction_bytes: usize::MAX,
        }
    }
}

/// Whether agents of others may run scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runs {
    /// They may not.
    Never,
    /// They may, where trust lets them or the user says so.
    WithConsent,
}

/// A script that an agent wants to run.
#[derive(Debug, Clone, Copy)]
pub struct ScriptRun<'a> {
    /// The skill.
    pub skill: &'a CatalogSkill,
    /// What it must consist of.
    pub digest: Digest,
    /// The script's path in it.
    pub script: &'a str,
    /// What it is told.
    pub arguments: &'a [String],
    /// What it reads.
    pub stdin: Option<&'a str>,
    /// The beginning of the event of its start: who asked, and who said that it may.
    pub asked: &'a Event,
}

/// Why the program around the server could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// It failed, which is for the log.
    #[error(transparent)]
    Failed(Box<dyn Error + Send + Sync>),
    /// There is nothing of that name, in words for who asked.
    #[error("{0}")]
    Missing(String),
    /// It makes no sense, in words for who asked.
    #[error("{0}")]
    Senseless(String),
    /// It may not be done as things are now, in words for who asked.
    #[error("{0}")]
    Unfitting(String),
}

impl HostError {
    /// The error and what caused it, in one line.
    pub(crate) fn whole(&self) -> String {
        match self {
            Self::Failed(error) => Cause::of(&**error).0,
            Self::Missing(text) | Self::Senseless(text) | Self::Unfitting(text) => text.clone(),
        }
    }

    /// Wraps an error of the program.
    pub fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Failed(error.into())
    }
}

/// What becomes of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// It can be used.
    On,
    /// It is kept out of prompts.
    Off,
}

/// How far a skill is trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillTrust {
    /// The tier, in a word.
    pub tier: String,
    /// Where the skill came from, in words.
    pub provenance: String,
    /// The same as models read it.
    pub origin: String,
    /// Whether its text comes from someone the user has not vouched for.
    pub third_party: bool,
    /// What becomes of its scripts: `run`, `ask` or `blocked`.
    pub scripts: String,
    /// Why.
    pub reason: String,
    /// The hosts that its scripts may reach, as was approved of exactly these files.
    pub hosts: Vec<String>,
    /// Who signed it, if somebody who is trusted did.
    pub signer: Option<String>,
    /// Its version or commit, as it was installed.
    pub version: Option<String>,
    /// What is wrong, if its files are not those that were installed and nobody approved them.
    pub altered: Option<Alteration>,
}

/// A skill, or whoever signed it, is revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revocation {
    /// Since when and why.
    pub reason: String,
    /// What the user of this machine can do about it.
    pub remedy: String,
}

/// The files of a skill are not those that were installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alteration {
    /// What they are.
    pub reason: String,
    /// What the user of this machine can do about it.
    pub remedy: String,
}

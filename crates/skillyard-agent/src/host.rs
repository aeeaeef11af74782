//! What the runtime cannot do itself: run, remember, write down.
//!
//! The binary and the server stand behind [`Host`]. It starts skill code in the sandbox, knows
//! policy and approvals, and owns the audit log.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use serde_json::{Map, Value};
use skillyard_audit::Event;
use skillyard_format::Digest;
use skillyard_trust::guard::{DenyLayer, GuardEnvironment, ToolList};

use crate::message::CallOutcome;
use crate::session::Activated;
use crate::shelf::Withheld;
use crate::tool_spec::ToolSpec;

/// What stands between the runtime and the machine.
pub trait Host: Send {
    /// Whether a script of the skill, whose files have this digest, may run.
    fn script_permission(&mut self, skill: &str, digest: &Digest) -> Permission;
    /// Why nobody can be asked whether scripts of the skill may always run, if nobody can.
    fn unshown(&mut self, skill: &str) -> Option<String> {
        let _ = skill;
        None
    }
    /// Remembers that scripts of exactly these bytes may run.
    fn approve_digest(&mut self, skill: &str, digest: &Digest) -> Result<(), HostError>;
    /// Tools that the user approved for a skill of exactly these bytes, as patterns.
    fn approved_tools(&mut self, skill: &str, digest: &Digest) -> ToolList;
    /// Seals what the user allows for a session, as nobody else can.
    fn seal(&mut self, allowed: &str) -> Result<String, HostError>;
    /// Whether it was sealed here, and the user took nothing back since.
    fn is_sealed(&mut self, allowed: &str, seal: &str) -> bool;
    /// Runs a script of a skill in the sandbox, and writes down that it begins; how it ended is
    /// for the caller to write down.
    fn run_script(&mut self, run: &ScriptRun, cancel: &AtomicBool) -> Executed<HostError>;
    /// Runs a program in the workspace's sandbox, which sees the files of no skill whose scripts
    /// are blocked: it could start any of them.
    fn run_command(&mut self, run: &CommandRun, cancel: &AtomicBool) -> Result<Ran, HostError>;
    /// Whether a file of the workspace stays as it is whatever the user says, because it decides
    /// what other programs do.
    fn keeps(&self, path: &str) -> bool {
        let _ = path;
        false
    }
    /// Why no file of the workspace is read, if none is: too much lies in it that is no model's business.
    fn unreadable(&self) -> Option<String> {
        None
    }
    /// What keeps a skill that is on the shelf from being used by now, if anything does.
    fn withheld(&self, skill: &str) -> Option<Withheld> {
        let _ = skill;
        None
    }
    /// Writes an event into the audit log.
    fn record(&mut self, event: &Event) -> Result<(), HostError>;
    /// The machine as the guard sees it.
    fn surroundings(&self) -> &dyn GuardEnvironment;
    /// Tools that policy denies by now, whatever skills allow and the user allowed before.
    fn denied(&self) -> Result<Vec<DenyLayer>, HostError>;
    /// The tools that MCP servers lend; without any, a session has its own.
    fn lent(&self) -> Vec<ToolSpec> {
        Vec::new()
    }
    /// Whether a lent tool may be called.
    fn lent_permission(&self, tool: &str) -> Permission {
        Permission::Blocked {
            reason: format!("no server lends `{tool}`"),
        }
    }
    /// Calls a lent tool.
    fn call_lent(&mut self, call: &LentCall<'_>, _cancel: &AtomicBool) -> Result<Lent, HostError> {
        Err(HostError::new(format!("no server lends `{}`", call.tool)))
    }
}

/// Whether a script may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission {
    /// It may.
    Run,
    /// The user decides.
    Ask {
        /// Why.
        reason: String,
    },
    /// It may not, whatever the user says here.
    Blocked {
        /// Why.
        reason: String,
    },
}

/// A script that is to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptRun {
    /// The skill.
    pub skill: String,
    /// What it must consist of; anything else is not run.
    pub digest: Digest,
    /// The script's path in it.
    pub script: String,
    /// What it is told.
    pub arguments: Vec<String>,
    /// What it reads.
    pub stdin: Option<String>,
    /// The beginning of the event of its start: who asked, and who said that it may.
    pub asked: Event,
}

/// A script that ran, or could not.
#[derive(Debug)]
pub struct Executed<E> {
    /// What it said, or why it could not run.
    pub ran: Result<Ran, E>,
    /// What is to be written down about its end.
    pub event: Event,
}

/// A program that is to run in the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRun {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// What it reads.
    pub stdin: Option<Vec<u8>>,
    /// The files of active skills, which it may read as far as their scripts may run.
    pub readable: Vec<SkillFiles>,
}

/// The files of an active skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFiles {
    /// The skill.
    pub skill: String,
    /// What they must be; nothing else is shown.
    pub digest: Digest,
    /// Where they are.
    pub folder: PathBuf,
}

/// A call of a tool that an MCP server lends.
#[derive(Debug, Clone, Copy)]
pub struct LentCall<'a> {
    /// The tool, as `mcp__SERVER__TOOL`.
    pub tool: &'a str,
    /// Its arguments.
    pub arguments: &'a Map<String, Value>,
    /// The session.
    pub session: &'a str,
    /// The skills that are active in it.
    pub skills: &'a [Activated],
}

/// What came of such a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lent {
    /// What the model reads, marked as a stranger's text.
    pub content: String,
    /// How it ended.
    pub outcome: CallOutcome,
    /// The server.
    pub server: String,
    /// The server's name for the tool.
    pub own_name: String,
}

/// How something ended that was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// Its exit code, as a shell would give it.
    pub code: i32,
    /// What it wrote, cut to its limits.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
    /// What the sandbox refused, one line each.
    pub denials: Vec<String>,
    /// What it made in the workspace that other programs obey, if anything.
    pub made: Option<String>,
    /// The sandbox.
    pub backend: String,
}

/// Why the host could not do something.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct HostError {
    /// The reason, for the model and for people.
    pub message: String,
}

impl HostError {
    /// An error with its causes in one line.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }
}

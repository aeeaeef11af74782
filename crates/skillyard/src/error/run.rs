//! Why a script did not run, and what can be done about it.

use std::path::PathBuf;

use skillyard_agent::script::ScriptError;
use skillyard_sandbox::{Backend, SandboxError};

use super::CommandError;
use crate::error::UNHASHABLE_REMEDY;
use crate::text::shell::shell_word;

/// Why a script did not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error("skill `{skill}` may not run scripts: {reason}")]
    Blocked {
        skill: String,
        reason: String,
        hint: String,
    },
    #[error("skill `{skill}` has not been approved to run scripts")]
    NotApproved {
        skill: String,
        /// The script's file, where the skill was named by its path and no list has it.
        file: Option<PathBuf>,
    },
    #[error("`--timeout` must be more than nothing and less than a day")]
    Timeout,
    #[error("`{key}` is locked by `{}`, and `{flag}` would loosen it", by.display())]
    Locked {
        key: String,
        flag: &'static str,
        by: PathBuf,
    },
    #[error("`{0}` is not among the programs of `sandbox.commands`")]
    Command(String),
    #[error("the variable `{0}` is not set")]
    NoSuchVariable(String),
    #[error(transparent)]
    Host(#[from] skillyard_sandbox::HostRuleError),
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error(transparent)]
    Script(ScriptError),
}

impl From<ScriptError> for RunError {
    fn from(error: ScriptError) -> Self {
        match error {
            ScriptError::Host(error) => Self::Host(error),
            ScriptError::Sandbox(error) => Self::Sandbox(error),
            other => Self::Script(other),
        }
    }
}

impl From<ScriptError> for CommandError {
    fn from(error: ScriptError) -> Self {
        match error {
            ScriptError::Write { path, source } => Self::Write { path, source },
            ScriptError::Resource(error) => Self::Resource(error),
            other => Self::Run(other.into()),
        }
    }
}

impl RunError {
    /// What the user can do about it.
    pub(super) fn hint(&self) -> Option<String> {
        Some(match self {
            // Nothing the user can do lifts a block that a policy made final.
            Self::Blocked { hint, .. } if hint.is_empty() => return None,
            Self::Blocked { hint, .. } => hint.clone(),
            Self::NotApproved { skill, file: None } => {
                let skill = shell_word(skill);
                format!(
                    "Look at it with `skillyard show {skill} --files`, then pass `--yes` to run it this once"
                )
            }
            Self::NotApproved {
                file: Some(file), ..
            } => {
                format!(
                    "Read `{}`, then pass `--yes` to run it this once",
                    file.display()
                )
            }
            Self::Host(_) => {
                "Give a name such as `api.example.com`, `*.example.com` or `10.0.0.5:8080`".into()
            }
            Self::Sandbox(error) => return sandbox_hint(error),
            Self::Command(_) => {
                "`skillyard config get sandbox.commands` shows them; `--command` can only name some of them".into()
            }
            Self::Script(error) => return script_hint(error),
            Self::Timeout | Self::Locked { .. } | Self::NoSuchVariable(_) => return None,
        })
    }

    /// 1 when the answer is no, 2 when there is no answer.
    pub(super) fn code(&self) -> u8 {
        match self {
            Self::Blocked { .. }
            | Self::NotApproved { .. }
            | Self::Script(ScriptError::Unhashable { .. }) => 1,
            _ => 2,
        }
    }
}

fn script_hint(error: &ScriptError) -> Option<String> {
    Some(match error {
        ScriptError::Unhashable { .. } => UNHASHABLE_REMEDY.to_owned(),
        ScriptError::NoSuchScript {
            nearest: Some(script),
            ..
        } => format!("Did you mean `{script}`?"),
        ScriptError::NoSuchScript { scripts, .. } if scripts.is_empty() => {
            "It has no scripts at all".into()
        }
        ScriptError::NoSuchScript { scripts, .. } => format!("It has {}", scripts.join(", ")),
        ScriptError::NotAScript(_) => {
            "Start it with a line such as `#!/usr/bin/env python3`".into()
        }
        ScriptError::NoInterpreter { interpreter, .. } => {
            format!("Install `{interpreter}`, then run the command again")
        }
        ScriptError::Workspace { .. } => "Name a folder of its own for the work".into(),
        _ => return None,
    })
}

fn sandbox_hint(error: &SandboxError) -> Option<String> {
    Some(match error {
        SandboxError::Unenforceable { backend: Backend::Landlock, .. } => {
            "Use bubblewrap, which can, or ask for less, for example with `--read-only`".into()
        }
        SandboxError::NoBackend { .. } | SandboxError::Unavailable { .. } => {
            "See what is missing with `skillyard doctor`; installing `bubblewrap` is the usual answer".into()
        }
        SandboxError::Broken { backend: Backend::Bubblewrap, .. } => {
            "See what this machine can do with `skillyard doctor`; where no folder is to be written to, `--backend landlock` is another way".into()
        }
        SandboxError::Launcher { action, .. } if action.contains("mount") => {
            "Name a workspace that belongs to another user than root, or run as that user".into()
        }
        SandboxError::Changed { .. } => {
            "Run it again when nothing else works in that folder".into()
        }
        SandboxError::Setup { action, .. } if action.contains("protect places") => {
            "Linux 5.12 is needed to protect places in a writable folder; `--read-only` does without".into()
        }
        _ => return None,
    })
}

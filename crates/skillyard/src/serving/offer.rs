//! What is offered to agents of others beside reading skills: other servers, and scripts.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use skillyard_mcp::Servers;
use skillyard_server::{HostError, Ran, Runs, ScriptRun};

use crate::context::Context;
use crate::error::CommandError;
use crate::mcp::Lenders;
use crate::script::sandboxed::{self, Wanted};

/// What is offered.
#[derive(Clone)]
pub(crate) struct Offer {
    /// The servers whose tools and skills are offered further.
    pub(super) upstream: Option<Arc<Servers>>,
    /// Whether scripts may be run.
    pub(super) runs: Runs,
}

impl Default for Offer {
    fn default() -> Self {
        Self {
            upstream: None,
            runs: Runs::Never,
        }
    }
}

impl Offer {
    /// What flags and the configuration say.
    pub(crate) fn new(context: &Context, flags: &OfferFlags) -> Result<Self, CommandError> {
        let config = context.config()?;
        let upstream = if flags.gateway || config.is_on("mcp.gateway") {
            Some(Lenders::all(context)?.servers)
        } else {
            None
        };
        let runs = if flags.allow_run || config.is_on("mcp.run") {
            Runs::WithConsent
        } else {
            Runs::Never
        };
        Ok(Self { upstream, runs })
    }
}

/// The flags of `mcp` and `serve` that say so.
#[derive(Debug, clap::Args)]
pub(crate) struct OfferFlags {
    /// Offer the tools and skills of `[mcp.servers]` too, under the guard of loaded skills
    #[arg(long)]
    gateway: bool,
    /// Let agents run scripts of skills in the sandbox, when the user says so
    #[arg(long)]
    allow_run: bool,
}

/// Runs a script for an agent elsewhere, which has no folder of ours.
pub(super) fn run(
    context: &Context,
    run: &ScriptRun<'_>,
    cancel: &AtomicBool,
) -> Result<Ran, HostError> {
    let wanted = Wanted {
        digest: run.digest,
        script: run.script,
        arguments: run.arguments,
        stdin: run.stdin,
        workspace: None,
    };
    let ran = sandboxed::run(context, run.skill, wanted, cancel);
    let ran = ran.map_err(|error| HostError::new(error.with_causes()))?;
    Ok(Ran {
        code: ran.code(),
        stdout: ran.stdout.text(),
        stderr: ran.stderr.text(),
        denials: ran.denials.iter().map(ToString::to_string).collect(),
        backend: ran.backend.as_str().to_owned(),
    })
}

//! What a server offers to agents of others beside reading skills.

use std::sync::Arc;

use skillyard_agent::mcp_client::Servers;

use crate::config::mcp::Approval;
use crate::context::Context;
use crate::error::CommandError;
use crate::mcp::Lenders;

/// What is offered to agents of others beside reading skills.
#[derive(Clone, Default)]
pub(crate) struct Offer {
    /// The servers whose tools and skills are offered further.
    pub(super) upstream: Option<Arc<Servers>>,
    /// Those of them whose tools are called without a question.
    pub(super) unasked: Vec<String>,
    /// Whether scripts may be run.
    pub(super) runs: bool,
}

impl Offer {
    /// What flags and the configuration say.
    pub(crate) fn new(context: &Context, flags: &OfferFlags) -> Result<Self, CommandError> {
        let config = context.config()?;
        if flags.gateway {
            config.keep_locked("mcp.gateway", "`--gateway`", "true")?;
        }
        if flags.allow_run {
            config.keep_locked("mcp.run", "`--allow-run`", "true")?;
        }
        let is_on = flags.gateway || config.is_on("mcp.gateway");
        let lenders = is_on.then(|| Lenders::all(context)).transpose()?;
        let configured = lenders.iter().flat_map(|lenders| &lenders.configured);
        let unasked = configured.filter(|server| server.approval == Approval::Never);
        Ok(Self {
            unasked: unasked.map(|server| server.name.clone()).collect(),
            upstream: lenders.map(|lenders| lenders.servers),
            runs: flags.allow_run || config.is_on("mcp.run"),
        })
    }
}

/// The flags of `mcp` and `serve` that say so.
#[derive(Debug, clap::Args)]
pub(crate) struct OfferFlags {
    /// Offer the tools and skills of `[mcp.servers]` too, under the guard of loaded skills
    #[arg(long)]
    gateway: bool,
    /// Let agents run scripts of skills in the sandbox: your own at once, others as trust says
    #[arg(long)]
    allow_run: bool,
}

impl OfferFlags {
    /// As they are typed.
    pub(crate) fn words(&self) -> Vec<&'static str> {
        let gateway = self.gateway.then_some("--gateway");
        let run = self.allow_run.then_some("--allow-run");
        gateway.into_iter().chain(run).collect()
    }
}

//! `skillyard agent export`.

use super::{Outcome, as_json, store};
use crate::context::Context;
use crate::error::Status;
use crate::error::agent::AgentFailure;

/// Print an agent as JSON, for another machine or another program
///
/// Examples:
///   skillyard agent export helper > helper.json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The agent
    name: String,
}

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    let kept = store(context)
        .load(&args.name)
        .map_err(AgentFailure::from)?;
    context.printer.json(&as_json(&kept))?;
    Ok(Status::Yes)
}

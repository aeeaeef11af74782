//! `skillyard agent edit`.

use skillyard_audit::EventKind;

use super::{Outcome, Said, changed, store};
use crate::context::Context;
use crate::error::agent::AgentFailure;

/// Change an agent: its next version says what the flags say
///
/// Examples:
///   skillyard agent edit helper --model anthropic/claude-sonnet-4-5
///   skillyard agent edit helper --strategy router --max-steps 10
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The agent
    name: String,
    #[command(flatten)]
    said: Said,
}

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    let store = store(context);
    let before = store.load(&args.name).map_err(AgentFailure::from)?;
    let mut definition = before.definition;
    args.said.apply(context, &mut definition)?;
    let kept = store.update(&args.name, &definition);
    let kept = kept.map_err(AgentFailure::from)?;
    changed(
        context,
        &kept,
        Some(before.version),
        EventKind::AgentUpdated,
    )
}

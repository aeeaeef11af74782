//! `skillyard agent rollback`.

use skillyard_audit::EventKind;

use super::{Outcome, changed, store};
use crate::context::Context;
use crate::error::agent::AgentFailure;

/// Let an older version hold again, as a new one
///
/// Examples:
///   skillyard agent rollback helper 1
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The agent
    name: String,
    /// The version
    version: u32,
}

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    let store = store(context);
    let before = store.load(&args.name).map_err(AgentFailure::from)?;
    let kept = store.rollback(&args.name, args.version);
    let kept = kept.map_err(AgentFailure::from)?;
    changed(
        context,
        &kept,
        Some(before.version),
        EventKind::AgentUpdated,
    )
}

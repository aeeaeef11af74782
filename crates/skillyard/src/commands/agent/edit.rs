//! `skillyard agent edit`.

use skillyard_agent::agent::Definition;

use super::said::Said;
use super::{Outcome, given, store, updated};
use crate::context::Context;

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
    let apply = |definition: &mut Definition| args.said.apply(context, definition);
    let change = store(context).change(&args.name, apply)?;
    given::tell_denied(context, &change.kept, |_| args.said.gives_skills());
    updated(context, &change)
}

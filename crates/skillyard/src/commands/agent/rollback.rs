//! `skillyard agent rollback`.

use super::{Outcome, store, updated};
use crate::context::Context;

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
    let change = store(context).rollback(&args.name, args.version)?;
    updated(context, &change)
}

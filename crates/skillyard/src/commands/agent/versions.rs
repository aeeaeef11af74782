//! `skillyard agent versions`.

use std::fmt::Write as _;

use serde_json::json;

use super::{Outcome, store};
use crate::context::Context;
use crate::error::Status;
use crate::error::agent::AgentFailure;

/// List the versions of an agent
///
/// Examples:
///   skillyard agent versions helper
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
    let current = kept.version;
    if context.printer.is_json() {
        let versions = kept.versions.iter();
        let versions: Vec<_> = versions
            .map(|(number, hash)| json!({ "version": number, "hash": hash, "current": *number == current }))
            .collect();
        context.printer.json(&json!({ "versions": versions }))?;
        return Ok(Status::Yes);
    }
    let mut text = String::new();
    for (number, hash) in &kept.versions {
        let mark = if *number == current { '*' } else { ' ' };
        let _ = writeln!(text, "{mark} {number:<4} {hash}");
    }
    Ok(context.printer.data(&text).map(|()| Status::Yes)?)
}

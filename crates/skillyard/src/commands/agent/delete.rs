//! `skillyard agent delete`.

use serde_json::json;
use skillyard_audit::{Event, EventKind};

use super::{Outcome, store};
use crate::context::Context;
use crate::error::Status;
use crate::error::agent::AgentFailure;
use crate::sanitize::visible;

/// Delete an agent with all its versions; its sessions stay
///
/// Examples:
///   skillyard agent delete helper
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The agent
    name: String,
}

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    store(context)
        .delete(&args.name)
        .map_err(AgentFailure::from)?;
    let event = Event::new(EventKind::AgentUpdated).detail("agent", &args.name);
    context.record(&event.detail("deleted", "yes"))?;
    if context.printer.is_json() {
        context.printer.json(&json!({ "deleted": args.name }))?;
    } else {
        let line = format!(" - {}\n", args.name);
        context.printer.data(&visible(&line))?;
    }
    Ok(Status::Yes)
}

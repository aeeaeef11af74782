//! `skillyard agent delete`.

use serde_json::json;
use skillyard_audit::{Event, EventKind};

use super::{Outcome, store};
use crate::context::Context;
use crate::error::Status;
use crate::error::agent::AgentFailure;
use crate::question::must_agree;
use crate::sanitize::visible;

/// Delete an agent with all its versions; its sessions stay
///
/// Examples:
///   skillyard agent delete helper
///   skillyard agent delete helper --yes   without asking
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The agent
    name: String,
    /// Delete without asking
    #[arg(long, short)]
    yes: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    let store = store(context);
    let names = store.names();
    // Who is not there is not asked about.
    if !args.yes && names.contains(&args.name) {
        let question = format!("Delete the agent `{}` with all its versions?", args.name);
        must_agree(context, &question)?;
    }
    store.delete(&args.name).map_err(AgentFailure::from)?;
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

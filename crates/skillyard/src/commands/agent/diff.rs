//! `skillyard agent diff`.

use serde_json::json;
use similar::TextDiff;

use super::{Outcome, store};
use crate::context::Context;
use crate::error::agent::AgentFailure;
use crate::error::{CommandError, Status};
use crate::sanitize::visible;

/// Compare two versions of an agent: exit code 1 when they differ
///
/// Examples:
///   skillyard agent diff helper 1 2
///   skillyard agent diff helper 1      with the version that holds
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The agent
    name: String,
    /// The older version
    from: u32,
    /// The newer version; the one that holds without it
    to: Option<u32>,
}

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    let store = store(context);
    let kept = store.load(&args.name).map_err(AgentFailure::from)?;
    let to = args.to.unwrap_or(kept.version);
    let text = |version| -> Result<String, CommandError> {
        let definition = store.version(&args.name, version);
        let definition = definition.map_err(AgentFailure::from)?;
        Ok(serde_json::to_string_pretty(&definition).unwrap_or_default() + "\n")
    };
    let (old, new) = (text(args.from)?, text(to)?);
    let differ = old != new;
    let diff = TextDiff::from_lines(&old, &new);
    let shown = diff
        .unified_diff()
        .header(
            &format!("{}@{}", args.name, args.from),
            &format!("{}@{to}", args.name),
        )
        .to_string();
    if context.printer.is_json() {
        context
            .printer
            .json(&json!({ "differ": differ, "diff": shown }))?;
    } else {
        context.printer.data(&visible(&shown))?;
    }
    Ok(if differ { Status::No } else { Status::Yes })
}

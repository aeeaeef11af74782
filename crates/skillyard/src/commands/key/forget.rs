//! `skillyard key forget`.

use serde_json::json;
use skillyard_audit::{Event, EventKind};

use super::Outcome;
use crate::context::Context;
use crate::error::Status;
use crate::signing::pins;

/// Forget who signed a skill before
///
/// The next trusted signature is then the first one, whoever made it and however old it is.
///
/// Examples:
///   skillyard key forget pdf-tools
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The skill's name
    skill: String,
}

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    context.ready_to_record()?;
    let changed = pins::forget(&context.environment.pins_file(), &args.skill)?;
    if changed {
        let event = Event::new(EventKind::KeyForgotten).skill(&args.skill);
        context.record(&event.trigger("key forget"))?;
    }
    if context.printer.is_json() {
        context
            .printer
            .json(&json!({ "skill": args.skill, "changed": changed }))?;
    } else if changed {
        context.printer.data(&format!(" - {}\n", args.skill))?;
    } else {
        context.printer.note(&format!(
            "Nothing to do: nothing is remembered of `{}`",
            args.skill
        ));
    }
    Ok(Status::Yes)
}

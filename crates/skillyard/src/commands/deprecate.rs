//! `skillyard deprecate`.

use serde_json::json;

use super::owner::skill_name;
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::{ExitStatus, Outcome};
use crate::install::remote::RegistryArg;

/// Tell others not to use a skill any more, and what to use instead
///
/// Examples:
///   skillyard deprecate pdf-old "use pdf-tools"
///   skillyard deprecate pdf-old --undo
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct DeprecateArgs {
    /// The skill
    name: String,
    /// What to use instead, and why
    #[arg(required_unless_present = "undo", conflicts_with = "undo")]
    message: Option<String>,
    /// Recommend it again
    #[arg(long)]
    undo: bool,
    #[command(flatten)]
    registry: RegistryArg,
}

pub(crate) fn run(context: &Context, args: &DeprecateArgs) -> Outcome {
    let name = skill_name(&args.name)?;
    let remote = args.registry.open(context)?;
    let done = remote
        .registry
        .deprecate(&remote.http, &name, args.message.as_deref());
    done.map_err(InstallFailure::from)?;
    if context.printer.is_json() {
        context
            .printer
            .json(&json!({ "name": name.as_str(), "deprecated": args.message }))?;
    } else if args.undo {
        context
            .printer
            .note(&format!("`{name}` is recommended again"));
    } else {
        context.printer.note(&format!("`{name}` is deprecated"));
    }
    Ok(ExitStatus::Success)
}

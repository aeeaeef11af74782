//! `skillyard config path`.

use serde_json::json;

use super::super::Outcome;
use super::Which;
use crate::config::project;
use crate::context::Context;
use crate::error::Status;
use crate::sanitize::visible;

/// Print where the configuration is
///
/// Examples:
///   skillyard config path
///   skillyard config path --project
///   skillyard config path --json       all of them
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    #[command(flatten)]
    which: Which,
}

pub(super) fn run(context: &Context, args: Args) -> Outcome {
    let path = args.which.target(context)?.path;
    if context.printer.is_json() {
        let environment = &context.environment;
        context.printer.json(&json!({
            "path": path.to_string_lossy(),
            "org": environment.org_config.to_string_lossy(),
            "user": environment.config_file().to_string_lossy(),
            "project": project::config_file(environment).map(|file| file.to_string_lossy().into_owned()),
        }))?;
        return Ok(Status::Yes);
    }
    context
        .printer
        .data(&format!("{}\n", visible(&path.to_string_lossy())))?;
    Ok(Status::Yes)
}

//! `skillyard whoami`.

use super::Outcome;
use crate::context::Context;
use crate::error::Status;
use crate::error::install::InstallFailure;
use crate::remote::Choice;
use crate::sanitize::visible;

/// Show whom the registry takes you for
///
/// Examples:
///   skillyard whoami
///   skillyard whoami --registry internal
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    #[command(flatten)]
    registry: Choice,
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let remote = args.registry.open(context)?;
    let account = remote.registry.account(&remote.http);
    let account = account.map_err(InstallFailure::from)?;
    if context.printer.is_json() {
        context.printer.json(&account)?;
        return Ok(Status::Yes);
    }
    context
        .printer
        .data(&format!("{}\n", visible(&account.user)))?;
    let until = account.expires.as_deref().unwrap_or("no end");
    context.printer.detail(&visible(&format!(
        "{}, until {until}, at {}",
        account.scopes.join(", "),
        remote.address()
    )));
    Ok(Status::Yes)
}

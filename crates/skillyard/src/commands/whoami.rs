//! `skillyard whoami`.

use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::{ExitStatus, Outcome};
use crate::install::remote::RegistryArg;
use crate::text::sanitize::visible;

/// Show whom the registry takes you for
///
/// Examples:
///   skillyard whoami
///   skillyard whoami --registry internal
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct WhoamiArgs {
    #[command(flatten)]
    registry: RegistryArg,
}

pub(crate) fn run(context: &Context, args: &WhoamiArgs) -> Outcome {
    let remote = args.registry.open(context)?;
    let account = remote.registry.account(&remote.http);
    let account = account.map_err(InstallFailure::from)?;
    if context.printer.is_json() {
        context.printer.json(&account)?;
        return Ok(ExitStatus::Success);
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
    Ok(ExitStatus::Success)
}

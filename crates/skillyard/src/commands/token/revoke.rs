//! `skillyard token revoke`.

use super::super::Outcome;
use super::show_revoked;
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::remote::Choice;

/// End one of your tokens now, and all that were made with it
///
/// Examples:
///   skillyard token revoke 1f2e3d4c5b6a
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Its name, as `token list` shows it
    id: String,
}

pub(super) fn run(context: &Context, choice: &Choice, args: &Args) -> Outcome {
    let remote = choice.open(context)?;
    let also = remote.registry.revoke_token(&remote.http, &args.id);
    show_revoked(context, &args.id, &also.map_err(InstallFailure::from)?)
}

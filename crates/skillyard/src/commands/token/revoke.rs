//! `skillyard token revoke`.

use super::super::Outcome;
use super::show_revoked;
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::remote::Choice;

/// End one of your tokens now
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Its name, as `token list` shows it
    id: String,
}

pub(super) fn run(context: &Context, choice: &Choice, args: &Args) -> Outcome {
    let remote = choice.open(context)?;
    let done = remote.registry.revoke_token(&remote.http, &args.id);
    done.map_err(InstallFailure::from)?;
    show_revoked(context, &args.id)
}

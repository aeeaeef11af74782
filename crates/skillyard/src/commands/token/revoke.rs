//! `skillyard token revoke`.

use serde_json::json;

use super::super::Outcome;
use crate::context::Context;
use crate::error::Status;
use crate::error::install::InstallFailure;
use crate::remote::Remote;
use crate::sanitize::visible;

/// End one of your tokens now
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Its name, as `token list` shows it
    id: String,
}

pub(super) fn run(context: &Context, alias: Option<&str>, args: &Args) -> Outcome {
    let remote = Remote::open(context, alias)?;
    let done = remote.registry.revoke_token(&remote.http, &args.id);
    done.map_err(InstallFailure::from)?;
    if context.printer.is_json() {
        let value = json!({ "id": args.id, "revoked": true });
        context.printer.json(&value)?;
    } else {
        let line = format!(" - {}\n", visible(&args.id));
        context.printer.data(&line)?;
        context.printer.note("It is refused from now on");
    }
    Ok(Status::Yes)
}

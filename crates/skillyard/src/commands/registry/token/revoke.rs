//! `skillyard registry token revoke`.

use serde_json::json;
use skillyard_registry::store::tokens;

use super::super::super::Outcome;
use super::super::Storage;
use crate::context::Context;
use crate::error::Status;
use crate::error::registry::RegistryFailure;

/// End a token now
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Its name, as `token list` shows it
    id: String,
    #[command(flatten)]
    storage: Storage,
}

pub(super) async fn run(context: &Context, args: &Args) -> Outcome {
    let database = args.storage.database(context).await?;
    let revoked = tokens::revoke(&database, &args.id, None, context.now()).await;
    let revoked = revoked.map_err(RegistryFailure::from)?;
    database.close().await;
    if !revoked {
        return Err(RegistryFailure::NoToken(args.id.clone()).into());
    }
    if context.printer.is_json() {
        context
            .printer
            .json(&json!({ "id": args.id, "revoked": true }))?;
    } else {
        context.printer.data(&format!(" - {}\n", args.id))?;
        context.printer.note("It is refused from now on");
    }
    Ok(Status::Yes)
}

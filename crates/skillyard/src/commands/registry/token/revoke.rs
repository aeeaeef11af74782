//! `skillyard registry token revoke`.

use skillyard_registry::store::tokens;

use super::super::super::Outcome;
use super::super::super::token::show_revoked;
use super::super::Storage;
use crate::context::Context;
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
    show_revoked(context, &args.id)
}

//! `skillyard registry token revoke`.

use skillyard_registry::store::tokens;

use super::super::super::Outcome;
use super::super::super::token::show_revoked;
use super::super::Storage;
use crate::context::Context;
use crate::error::registry::RegistryFailure;

/// End a token now, and all that were made with it
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Its name, as `token list` shows it
    id: String,
    #[command(flatten)]
    storage: Storage,
}

pub(super) async fn run(context: &Context, args: &Args) -> Outcome {
    let database = args.storage.database(context).await?;
    let ended = tokens::revoke(&database, &args.id, None, context.now()).await;
    let ended = ended.map_err(RegistryFailure::from)?;
    database.close().await;
    let Some((id, also)) = ended.split_first() else {
        return Err(RegistryFailure::NoToken(args.id.clone()).into());
    };
    show_revoked(context, id, also)
}

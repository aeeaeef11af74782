//! `skillyard registry token revoke`.

use skillyard_audit::{Event, EventKind};
use skillyard_registry::store::tokens;

use super::super::super::Outcome;
use super::super::super::token::show_revoked;
use super::super::{Need, Storage};
use crate::context::Context;
use crate::error::registry::RegistryFailure;

/// End a token now, and all that were made with it
///
/// Examples:
///   skillyard registry token revoke 1f2e3d4c5b6a
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Its name, as `token list` shows it
    id: String,
    #[command(flatten)]
    storage: Storage,
}

pub(super) async fn run(context: &Context, args: &Args) -> Outcome {
    let recorder = context.ready_to_record()?;
    let database = args.storage.database(context, Need::Existing).await?;
    let ended = tokens::revoke(&database, &args.id, None, context.now()).await;
    let ended = ended.map_err(RegistryFailure::from)?;
    database.close().await;
    let Some((id, also)) = ended.split_first() else {
        return Err(RegistryFailure::NoToken(args.id.clone()).into());
    };
    let event = Event::new(EventKind::RegistryTokenChanged)
        .detail("change", "revoked by the operator")
        .detail("token", id)
        .detail("also", also.join(" "));
    recorder.record(&event)?;
    show_revoked(context, id, also)
}

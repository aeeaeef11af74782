//! `skillyard registry gc`.

use jiff::SignedDuration;
use serde_json::json;
use skillyard_registry::maintenance::{self, Caution};

use super::super::Outcome;
use super::{Need, Storage};
use crate::context::Context;
use crate::error::Status;
use crate::error::registry::RegistryFailure;

/// Remove archives that belong to no version
///
/// A publish that was broken off leaves one behind. It can run while the registry is served.
/// Where most archives would go nothing is removed: they may be another registry's.
///
/// Examples:
///   skillyard registry gc
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Only those that were stored so many minutes ago
    #[arg(long, value_name = "MINUTES", default_value_t = 60)]
    older_than: u32,
    /// Remove them also if that is most of all archives
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    storage: Storage,
}

pub(super) async fn run(context: &Context, args: &Args) -> Outcome {
    let registry = args.storage.registry(context, Need::Existing).await?;
    let age = SignedDuration::from_mins(i64::from(args.older_than));
    let time = context
        .now()
        .checked_sub(age)
        .map_err(RegistryFailure::from)?;
    let caution = if args.force {
        Caution::Override
    } else {
        Caution::Refuse
    };
    let removed = maintenance::collect(&registry, time, caution).await;
    let removed = removed.map_err(RegistryFailure::from)?;
    registry.database.close().await;
    if context.printer.is_json() {
        context.printer.json(&json!({ "removed": removed }))?;
    } else {
        context.printer.note(&format!("{removed} removed"));
    }
    Ok(Status::Yes)
}

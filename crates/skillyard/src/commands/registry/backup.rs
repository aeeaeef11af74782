//! `skillyard registry backup`.

use std::path::PathBuf;

use serde_json::json;
use skillyard_registry::maintenance;

use super::super::Outcome;
use super::{Storage, log_key};
use crate::context::Context;
use crate::error::Status;
use crate::error::registry::RegistryFailure;
use crate::report::counted;
use crate::sanitize::visible;

/// Copy the whole registry into a new folder
///
/// It can run while the registry is served, whatever its database is. The copy has the key that
/// signs the log, so keep it as you keep that. It is served as it is, with
/// `--database sqlite:DIR/registry.db --blobs DIR/blobs`, or put elsewhere with `registry restore`.
///
/// Examples:
///   skillyard registry backup ./registry-copy
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The folder, which must not exist
    folder: PathBuf,
    /// Leave out the key that signs the log
    #[arg(long)]
    without_key: bool,
    #[command(flatten)]
    storage: Storage,
}

pub(super) async fn run(context: &Context, args: &Args) -> Outcome {
    let registry = args.storage.registry(context).await?;
    let folder = context.environment.current_dir.join(&args.folder);
    let copied = maintenance::back_up(&registry, &folder).await;
    let copied = copied.map_err(RegistryFailure::from)?;
    registry.database.close().await;
    if !args.without_key {
        log_key::copy(context, &folder)?;
    }
    let shown = folder.to_string_lossy();
    if context.printer.is_json() {
        context
            .printer
            .json(&json!({ "folder": shown, "archives": copied }))?;
    } else {
        context.printer.data(&format!(" + {}\n", visible(&shown)))?;
        context.printer.note(&format!(
            "The database and {} are in it",
            counted(copied, "archive")
        ));
    }
    Ok(Status::Yes)
}

//! `skillyard registry backup`.

use std::path::PathBuf;

use serde_json::json;
use skillyard_registry::maintenance;

use super::log_key::{self, Copying};
use super::{Need, Storage};
use crate::context::Context;
use crate::error::registry::RegistryFailure;
use crate::error::{ExitStatus, Outcome};
use crate::text::counted;
use crate::text::sanitize::visible;

/// Copy the whole registry into a new folder
///
/// It can run while the registry is served, whatever its database is. The copy has the key that
/// signs the log, so keep it as you keep that; where that key is not this machine's own, name it
/// with `--log-key`. The copy is served as it is, with
/// `--database sqlite:DIR/registry.db --blobs DIR/blobs`, or put elsewhere with `registry restore`.
///
/// Examples:
///   skillyard registry backup ./registry-copy
///   skillyard registry backup ./copy --database postgres://… --blobs s3://skills --log-key key.pem
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[allow(clippy::doc_markdown, reason = "the examples are typed as they stand")]
pub(super) struct RegistryBackupArgs {
    /// The folder, which must not exist
    folder: PathBuf,
    /// The key that signs the log, if it is not this machine's own
    #[arg(long, value_name = "FILE", conflicts_with = "without_key")]
    log_key: Option<PathBuf>,
    /// Leave out the key that signs the log
    #[arg(long)]
    without_key: bool,
    #[command(flatten)]
    storage: Storage,
}

pub(super) async fn run(context: &Context, args: &RegistryBackupArgs) -> Outcome {
    let registry = args.storage.registry(context, Need::Existing).await?;
    let folder = context.environment.current_dir.join(&args.folder);
    let key = if args.without_key {
        Copying::LeftOut
    } else {
        let signer = maintenance::log_signer(&registry).await;
        let signer = signer.map_err(RegistryFailure::from)?;
        let file = args.log_key.as_deref();
        log_key::to_copy(context, file, &signer, &args.storage)?
    };
    let copied = maintenance::back_up(&registry, &folder).await;
    let copied = copied.map_err(RegistryFailure::from)?;
    registry.database.close().await;
    key.put(&folder)?;
    let shown = folder.to_string_lossy();
    if context.printer.is_json() {
        context
            .printer
            .json(&json!({ "folder": shown, "archives": copied, "log_key": key.as_str() }))?;
    } else {
        context.printer.data(&format!(" + {}\n", visible(&shown)))?;
        context.printer.note(&format!(
            "The database and {} are in it",
            counted(copied, "archive")
        ));
        if key == Copying::NotHere {
            context.printer.note(
                "The key that signs its log is not this machine's own, so the copy is without it: name it with `--log-key`",
            );
        }
    }
    Ok(ExitStatus::Success)
}

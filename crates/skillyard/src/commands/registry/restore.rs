//! `skillyard registry restore`.

use std::path::{Path, PathBuf};

use serde_json::json;
use skillyard_registry::maintenance::{self, SoundCopy};

use super::super::Outcome;
use super::{Need, Storage, log_key};
use crate::context::Context;
use crate::error::Status;
use crate::error::registry::RegistryFailure;
use crate::report::counted;

/// Make a registry from a copy that `backup` made
///
/// The copy is looked through first. The registry that it goes into has to be empty; it may be of
/// the other kind, which is how a registry moves from SQLite and a folder to PostgreSQL and S3.
///
/// Examples:
///   skillyard registry restore ./registry-copy
///   skillyard registry restore ./registry-copy --database postgres://… --blobs s3://skills
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[allow(clippy::doc_markdown, reason = "the examples are typed as they stand")]
pub(super) struct Args {
    /// The folder of the copy
    folder: PathBuf,
    #[command(flatten)]
    storage: Storage,
}

pub(super) async fn run(context: &Context, args: &Args) -> Outcome {
    let folder = context.environment.current_dir.join(&args.folder);
    // Before a registry is made that would look sound without anything in it.
    let copy = SoundCopy::open(&folder).await;
    let copy = copy.map_err(RegistryFailure::from)?;
    let registry = args.storage.registry(context, Need::Made).await?;
    let restored = copy.restore(&registry).await;
    let restored = restored.map_err(RegistryFailure::from)?;
    let signer = maintenance::log_signer(&registry).await;
    let signer = signer.map_err(RegistryFailure::from)?;
    registry.database.close().await;
    let key = log_key::restore(context, &folder, &signer, &args.storage)?;
    if context.printer.is_json() {
        context.printer.json(&json!({
            "versions": restored.versions,
            "archives": restored.archives,
            "made": restored.made.map(|made| made.to_string()),
            "log_key": key.as_str(),
            "kept": key.kept().map(Path::to_string_lossy),
        }))?;
        return Ok(Status::Yes);
    }
    context.printer.note(&format!(
        "Restored {} and {}; {}",
        counted(restored.versions, "version"),
        counted(restored.archives, "archive"),
        key.told()
    ));
    let made = restored.made.map_or_else(
        || "when the copy was made".to_owned(),
        |made| format!("on {}", made.strftime("%Y-%m-%d at %H:%M UTC")),
    );
    context.printer.note(&format!(
        "Tokens, roles and withdrawn versions are as they were {made}: what was revoked or withdrawn since is valid again; \
         look at `skillyard registry token list`"
    ));
    Ok(Status::Yes)
}

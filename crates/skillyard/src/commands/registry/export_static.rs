//! `skillyard registry export-static`.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Value, json};
use skillyard_registry::maintenance;

use super::{Need, Storage};
use crate::commands::registry::log_key::NamedLogKey;
use crate::context::Context;
use crate::error::registry::RegistryFailure;
use crate::error::{ExitStatus, Outcome};
use crate::text::sanitize::{shortened, visible};
use crate::text::{counted, elapsed};

/// Write everything that clients read into a folder of plain files
///
/// Any web server or CDN can serve it: `skillyard install`, discovery and the marketplace work
/// from it, with all proofs. Search and pages need the registry. Run it again to bring the folder
/// up to date; only what changed is written.
///
/// Examples:
///   skillyard registry export-static ./public --url https://skills.example.com
///   python3 -m http.server --directory ./public
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[allow(
    clippy::doc_markdown,
    rustdoc::bare_urls,
    reason = "the examples are typed as they stand"
)]
pub(super) struct RegistryExportStaticArgs {
    /// The folder
    folder: PathBuf,
    /// Where clients will reach it
    #[arg(long, value_name = "URL", default_value = "")]
    url: String,
    /// The key that signs the log of all versions
    #[arg(long, value_name = "FILE")]
    log_key: Option<PathBuf>,
    #[command(flatten)]
    storage: Storage,
}

pub(super) async fn run(context: &Context, args: &RegistryExportStaticArgs) -> Outcome {
    let start = Instant::now();
    let registry = args.storage.registry(context, Need::Existing).await?;
    let given = NamedLogKey::find(context, args.log_key.as_deref(), &args.storage)?;
    let signer = maintenance::log_signer(&registry).await;
    let key = given.fitting(context, &signer.map_err(RegistryFailure::from)?)?;
    let folder = context.environment.current_dir.join(&args.folder);
    let url = args.url.trim_end_matches('/');
    let exported = maintenance::export_static(&registry, key.as_ref(), url, &folder).await;
    let exported = exported.map_err(RegistryFailure::from)?;
    registry.database.close().await;
    let shown = folder.to_string_lossy();
    if context.printer.is_json() {
        let left_out = exported.left_out.iter().map(
            |(name, version, reason)| json!({ "name": name, "version": version, "reason": reason }),
        );
        context.printer.json(&json!({
            "folder": shown,
            "skills": exported.skills,
            "versions": exported.versions,
            "written": exported.written,
            "unchanged": exported.unchanged,
            "left_out": left_out.collect::<Vec<Value>>(),
        }))?;
        return Ok(ExitStatus::Success);
    }
    for (name, version, reason) in &exported.left_out {
        let line = format!(" ✗ {name}@{} is left out: {reason}", shortened(version, 64));
        context.printer.data(&format!("{}\n", visible(&line)))?;
    }
    context.printer.note(&visible(&format!(
        "{} in {}: {} written, {} unchanged, in {}",
        counted(exported.skills, "skill"),
        counted(exported.versions, "version"),
        counted(exported.written, "file"),
        exported.unchanged,
        elapsed(start.elapsed())
    )));
    Ok(ExitStatus::Success)
}

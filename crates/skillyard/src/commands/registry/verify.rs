//! `skillyard registry verify`.

use std::time::Instant;

use serde_json::{Value, json};
use skillyard_registry::maintenance;

use super::super::Outcome;
use super::Storage;
use crate::context::Context;
use crate::error::Status;
use crate::error::registry::RegistryFailure;
use crate::report::elapsed;
use crate::sanitize::visible;

/// Read every archive and compare it with its digest
///
/// Examples:
///   skillyard registry verify
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    #[command(flatten)]
    storage: Storage,
}

pub(super) async fn run(context: &Context, args: &Args) -> Outcome {
    let start = Instant::now();
    let registry = args.storage.registry(context).await?;
    let found = maintenance::verify(&registry).await;
    let found = found.map_err(RegistryFailure::from)?;
    registry.database.close().await;
    if context.printer.is_json() {
        let damaged: Vec<Value> = found
            .damaged
            .iter()
            .map(|(name, version, damage)| {
                json!({ "name": name, "version": version, "problem": damage.as_str() })
            })
            .collect();
        context
            .printer
            .json(&json!({ "sound": found.sound, "damaged": damaged }))?;
    } else {
        for (name, version, damage) in &found.damaged {
            let line = format!(" ✗ {name}@{version}: its archive is {}", damage.as_str());
            context.printer.data(&format!("{}\n", visible(&line)))?;
        }
        context.printer.note(&format!(
            "{} sound, {} damaged, in {}",
            found.sound,
            found.damaged.len(),
            elapsed(start.elapsed())
        ));
    }
    Ok(if found.damaged.is_empty() {
        Status::Yes
    } else {
        Status::No
    })
}

//! `skillyard registry verify`.

use std::time::Instant;

use serde_json::{Value, json};
use skillyard_registry::maintenance;

use super::{Need, Storage};
use crate::context::Context;
use crate::error::registry::RegistryFailure;
use crate::error::{ExitStatus, Outcome};
use crate::text::sanitize::visible;
use crate::text::{counted, elapsed};

/// Read every archive, make the log anew, and compare both with what was published
///
/// The log is compared with every length of it that was ever signed and handed out.
///
/// Examples:
///   skillyard registry verify
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct RegistryVerifyArgs {
    #[command(flatten)]
    storage: Storage,
}

pub(super) async fn run(context: &Context, args: &RegistryVerifyArgs) -> Outcome {
    let start = Instant::now();
    let registry = args.storage.registry(context, Need::Existing).await?;
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
        context.printer.json(&json!({
            "sound": found.sound,
            "absent": found.absent,
            "damaged": damaged,
            "log": {
                "entries": found.entries,
                "root": found.root,
                "checkpoints": found.checkpoints,
                "problems": found.problems,
            },
        }))?;
    } else {
        for (name, version, damage) in &found.damaged {
            let line = format!(" ✗ {name}@{version}: its archive is {}", damage.as_str());
            context.printer.data(&format!("{}\n", visible(&line)))?;
        }
        for problem in &found.problems {
            let line = format!(" ✗ {problem}");
            context.printer.data(&format!("{}\n", visible(&line)))?;
        }
        context.printer.note(&format!(
            "{} sound, {} damaged{}; the log has {} and {}; in {}",
            found.sound,
            found.damaged.len(),
            match found.absent {
                0 => String::new(),
                count => format!(", {count} not to be had when they were mirrored"),
            },
            match found.entries {
                1 => "1 entry".to_owned(),
                count => format!("{count} entries"),
            },
            match (found.checkpoints, found.problems.len()) {
                (count, 0) => format!("agrees with {}", counted(count, "checkpoint")),
                (_, problems) => counted(problems, "problem"),
            },
            elapsed(start.elapsed())
        ));
    }
    Ok(if found.is_sound() {
        ExitStatus::Success
    } else {
        ExitStatus::Negative
    })
}

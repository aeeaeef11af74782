//! `skillyard outdated`.

use std::fmt::Write as _;

use serde_json::{Value, json};
use skillyard_install::lockfile::Locked;

use super::Outcome;
use super::update::{chosen, newest};
use crate::context::Context;
use crate::error::Status;
use crate::install::changes::state;
use crate::install::place::{Place, ScopeArgs};
use crate::install::supply::Supply;
use crate::sanitize::visible;

/// List installed skills that have changed at their source
///
/// Exits with 1 when there is one.
///
/// Examples:
///   skillyard outdated
///   skillyard outdated --scope user --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The skills' names; without one, all
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    scope: ScopeArgs,
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let place = Place::find(context, &args.scope)?;
    let lock = place.lock()?;
    let mut supply = Supply::new(context, &place);
    let mut outdated: Vec<(Locked, Locked)> = Vec::new();
    let mut failed: Vec<(String, String)> = Vec::new();
    let entries = chosen(&lock, &args.names)?;
    for entry in &entries {
        // One source that cannot be reached must not hide the others.
        match newest(&mut supply, entry) {
            Ok(candidate) if candidate.tree.digest() == entry.digest => {}
            Ok(candidate) => outdated.push(((*entry).clone(), candidate.locked(Vec::new()))),
            Err(error) => failed.push((entry.name.clone(), error.with_causes())),
        }
    }
    let printer = &context.printer;
    if printer.is_json() {
        let outdated: Vec<Value> = outdated.iter().map(|(from, to)| json!({
            "name": from.name,
            "source": from.reference(),
            "installed": { "version": from.version, "commit": from.commit, "digest": from.digest },
            "available": { "version": to.version, "commit": to.commit, "digest": to.digest },
        })).collect();
        let failed: Vec<Value> = failed
            .iter()
            .map(|(name, reason)| json!({ "name": name, "reason": reason }))
            .collect();
        printer.json(&json!({ "outdated": outdated, "failed": failed }))?;
    } else {
        let mut text = String::new();
        let width = outdated
            .iter()
            .map(|(from, _)| from.name.chars().count())
            .max();
        let width = width.unwrap_or_default().min(40);
        for (from, to) in &outdated {
            let _ = writeln!(
                text,
                "{:<width$}  {} → {}  {}",
                visible(&from.name),
                visible(&state(from)),
                visible(&state(to)),
                visible(&from.reference())
            );
        }
        printer.data(&text)?;
        for (name, reason) in &failed {
            printer.people(&format!(" ! {}: {}", visible(name), visible(reason)));
        }
        if outdated.is_empty() && failed.is_empty() {
            printer.note(&match entries.len() {
                0 => format!(
                    "No skills are installed ({} scope)",
                    place.scope.kind.as_str()
                ),
                1 => "1 skill is up to date".to_owned(),
                count => format!("All {count} skills are up to date"),
            });
        } else if !outdated.is_empty() {
            printer.note("See the differences with `skillyard update --dry-run`");
        }
    }
    Ok(if outdated.is_empty() && failed.is_empty() {
        Status::Yes
    } else {
        Status::No
    })
}

//! What a change of the installed skills came to, as people and programs are told.

use std::time::Instant;

use skillyard_install::plan::{Change, Plan};

use super::changes;
use super::place::Place;
use crate::commands::Outcome;
use crate::context::Context;
use crate::error::Status;

/// Tells what was or would be done.
pub(crate) fn report(
    context: &Context,
    place: &Place,
    plan: &Plan,
    start: Option<Instant>,
    dry_run: bool,
) -> Outcome {
    let printer = &context.printer;
    if printer.is_json() {
        printer.json(&changes::json(plan, &place.scope, dry_run))?;
        return Ok(Status::Yes);
    }
    let lines = changes::lines(plan);
    if !lines.is_empty() {
        printer.note(lines.trim_end_matches('\n'));
    }
    let time = start.map(|start| start.elapsed()).unwrap_or_default();
    let count = plan.changes.len();
    let done = match (dry_run, plan.changes.first()) {
        (_, None) => {
            let already = plan.unchanged.len();
            if already > 0 {
                printer.note(&changes::closing(
                    "Already up to date:",
                    already,
                    &place.scope,
                    time,
                ));
            } else if plan.skipped.is_empty() {
                let place = place.scope.kind.as_str();
                printer.note(&format!("No skills are installed ({place} scope)"));
            }
            return Ok(Status::Yes);
        }
        (true, _) => "Would change",
        (_, Some(Change::Removed { .. })) => "Removed",
        (_, Some(Change::Added { .. })) => "Installed",
        (_, Some(Change::Changed { .. })) => "Updated",
        (_, Some(Change::Repaired { .. })) => "Repaired",
    };
    printer.note(&changes::closing(done, count, &place.scope, time));
    Ok(Status::Yes)
}

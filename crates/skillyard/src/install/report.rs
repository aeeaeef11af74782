//! What a change of the installed skills came to, as people and programs are told.

use std::time::Instant;

use skillyard_install::plan::Plan;

use super::changes;
use super::place::Place;
use crate::commands::Outcome;
use crate::context::Context;
use crate::error::Status;
use crate::report::{counted, elapsed};

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
    let already = plan.unchanged.len();
    let done = match plan.changes.len() {
        0 if already > 0 => format!("Already up to date: {}", counted(already, "skill")),
        // What was left out was told.
        0 if !plan.skipped.is_empty() => return Ok(Status::Yes),
        0 => {
            let place = place.scope.kind.as_str();
            printer.note(&format!("No skills are installed ({place} scope)"));
            return Ok(Status::Yes);
        }
        count if dry_run => format!("Would change {}", counted(count, "skill")),
        _ => changes::done(plan),
    };
    let scope = place.scope.kind.as_str();
    printer.note(&format!("{done} ({scope} scope) in {}", elapsed(time)));
    Ok(Status::Yes)
}

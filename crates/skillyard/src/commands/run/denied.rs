//! Runs that were refused are written down, too.

use skillyard_audit::Outcome::Denied;
use skillyard_audit::{Event, EventKind};
use skillyard_catalog::resource::{SkillRoot, digest};

use super::Args;
use crate::context::Context;
use crate::error::{CommandError, RunError};
use crate::script::approval::{self, Request};
use crate::script::place::SkillPlace;

/// Writes down that a run was refused before anybody was asked.
pub(super) fn denied(
    context: &Context,
    args: &Args,
    skill: &SkillPlace,
    error: CommandError,
) -> CommandError {
    let reason = match &error {
        CommandError::Run(RunError::Blocked { reason, .. }) => reason.clone(),
        CommandError::Run(RunError::Locked { .. }) | CommandError::Locked { .. } => {
            error.to_string()
        }
        _ => return error,
    };
    if args.explain {
        return error;
    }
    let mut event = Event::new(EventKind::ScriptExecuted)
        .skill(&skill.name)
        .trigger("user")
        .detail("script", &args.script);
    if let Some(kind) = skill.source {
        event = event.source(kind.as_str());
    }
    // Those inside the binary are only written out to run.
    let now = SkillRoot::open(&skill.folder).ok();
    if let Some(now) = now.and_then(|root| digest(&root).ok()) {
        event = event.digest(now.to_string());
    }
    let event = event.ended(Denied, reason);
    context.record(&event).err().unwrap_or(error)
}

/// Writes down that a run was refused because nobody was there to be asked.
pub(super) fn unanswered(
    context: &Context,
    request: &Request<'_>,
    error: CommandError,
) -> CommandError {
    let is_unanswered = matches!(&error, CommandError::Run(RunError::NotApproved { .. }));
    // Who was there and said no is in the log already.
    if !is_unanswered || context.printer.can_ask() {
        return error;
    }
    let reason = "it was not approved, and there was nobody to ask";
    let event = approval::event(request, EventKind::ScriptExecuted).ended(Denied, reason);
    context.record(&event).err().unwrap_or(error)
}

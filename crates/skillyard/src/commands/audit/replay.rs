//! `skillyard audit replay`.

use std::fmt::Write as _;

use serde_json::json;
use skillyard_agent::TurnError;
use skillyard_agent::replay::{Divergence, events, replay};

use super::verify::as_json;
use crate::agent::{shelf_of, store};
use crate::commands::Outcome;
use crate::context::Context;
use crate::error::Status;
use crate::sanitize::visible;

/// Make a session again and compare every byte that its model was given
///
/// The prompt, the skills and the files are rendered again and compared with what the session and
/// the log say. What was installed then comes from the store, also when it was updated or removed
/// since; your own skills are taken as they are now. Exit code 1 when something differs; the
/// first is named. A log that `audit verify` finds changed proves nothing: that is told, and the
/// exit code is 1 as well.
///
/// Examples:
///   skillyard audit replay last
///   skillyard audit replay s-84b7056cd6644bae --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The session: its name, the beginning of it, or `last`
    session: String,
}

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    let session = store(context)?.load(&args.session);
    let session = session.map_err(TurnError::from)?;
    let log = context.environment.logs_folder();
    let fault = skillyard_audit::verify(&log, None)?.fault;
    let events = events(&session, &log)?;
    let outcome = replay(&session, &mut shelf_of(context, &session)?, events);
    let is_ahead = matches!(outcome, Err(Divergence::Extra { .. }));
    let status = if outcome.is_ok() && fault.is_none() {
        Status::Yes
    } else {
        Status::No
    };
    if context.printer.is_json() {
        let divergence = outcome.as_ref().err().map(ToString::to_string);
        context.printer.json(&json!({
            "session": session.id,
            "same": outcome.is_ok(),
            "compared": outcome.ok(),
            "divergence": divergence,
            "intact": fault.is_none(),
            "fault": fault.as_ref().map(as_json),
        }))?;
        return Ok(status);
    }
    let mut text = match outcome {
        Ok(done) => format!(
            "✓ the same to the byte: {} messages, {} requests, {} texts of skills made again, {} results as recorded\n",
            done.messages, done.requests, done.rendered, done.recorded
        ),
        Err(divergence) => format!("✗ {divergence}\n"),
    };
    if let Some(fault) = fault {
        let _ = writeln!(
            text,
            "✗ the log that it was compared with does not verify: {fault}"
        );
    }
    context.printer.data(&visible(&text))?;
    if is_ahead {
        let note =
            "The log goes on where the session ends: it may still be at work in another program";
        context.printer.note(note);
    }
    Ok(status)
}

//! `skillyard audit replay`.

use serde_json::json;
use skillyard_agent::TurnError;
use skillyard_agent::replay::{Divergence, events, replay};

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
/// first is named.
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
    let events = events(&session, &context.environment.logs_folder())?;
    let outcome = replay(&session, &shelf_of(context, &session)?, events);
    let is_ahead = matches!(outcome, Err(Divergence::Extra { .. }));
    let status = if outcome.is_ok() {
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
        }))?;
        return Ok(status);
    }
    let text = match outcome {
        Ok(done) => format!(
            "✓ the same to the byte: {} messages, {} requests, {} texts of skills made again, {} results as recorded\n",
            done.messages, done.requests, done.rendered, done.recorded
        ),
        Err(divergence) => format!("✗ {divergence}\n"),
    };
    context.printer.data(&visible(&text))?;
    if is_ahead {
        let note =
            "The log goes on where the session ends: it may still be at work in another program";
        context.printer.note(note);
    }
    Ok(status)
}

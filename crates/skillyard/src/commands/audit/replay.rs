//! `skillyard audit replay`.

use serde_json::json;
use skillyard_agent::TurnError;
use skillyard_agent::replay::{Recorded, replay, sessions};
use skillyard_audit::{Filter, read};
use skillyard_trust::verdict::OptIn;

use crate::agent::{Wanted, shelf, store};
use crate::commands::Outcome;
use crate::context::Context;
use crate::error::Status;
use crate::library::Choice;
use crate::mcp::{Lenders, PublishedSkills};
use crate::sanitize::visible;

/// Make a session again and compare every byte that its model was given
///
/// The prompt, the skills and the files are rendered from what is on disk now, and compared with
/// what the session and the log say. Exit code 1 when something differs; the first is named.
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
    let wanted = Wanted {
        choice: Choice::default(),
        only: Some(session.prompt.skills.clone()),
        opt_in: OptIn::No,
        lenders: Lenders::default(),
        lent_before: Some(PublishedSkills::remembered(
            context,
            &session.prompt.skills,
            |name| {
                let mut active = session.state.activated.iter();
                let found = active.find(|each| each.name == name)?;
                Some(found.digest.clone())
            },
        )),
    };
    let mut events: Vec<Recorded> = Vec::new();
    for name in sessions(&session) {
        let filter = Filter {
            session: Some(name.to_owned()),
            ..Filter::default()
        };
        let reading = read(&context.environment.logs_folder(), &filter)?;
        events.extend(reading.lines.iter().filter_map(|line| Recorded::of(line)));
    }
    let outcome = replay(&session, &shelf(context, &wanted)?, events);
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
    Ok(status)
}

//! `skillyard registry forget`.

use serde_json::json;
use skillyard_audit::{Event, EventKind};

use super::super::Outcome;
use crate::context::Context;
use crate::error::Status;
use crate::install::web::Web;
use crate::sanitize::visible;

/// Forget what a registry said before, so that it may start over
///
/// A registry that has lost a version, or whose log is shorter than it was, is refused: somebody may
/// replay the past. Where its operator put an older copy in its place, say so with this. What is
/// installed and what is in the store stay.
///
/// Examples:
///   skillyard registry forget
///   skillyard registry forget https://skills.example.com
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[allow(
    clippy::doc_markdown,
    rustdoc::bare_urls,
    reason = "the examples are typed as they stand"
)]
pub(super) struct Args {
    /// The registry's address or the name of a source; without it the one of the configuration
    registry: Option<String>,
}

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    context.ready_to_record()?;
    let web = Web::new(context, &[])?;
    let (address, was_known) = web.forget(args.registry.as_deref())?;
    if was_known {
        let event = Event::new(EventKind::ConfigChanged)
            .trigger("registry")
            .detail("change", "forget")
            .detail("registry", &address);
        context.record(&event)?;
    }
    if context.printer.is_json() {
        let answer = json!({ "registry": address, "forgotten": was_known });
        context.printer.json(&answer)?;
    } else if was_known {
        let note = format!("What {} said before is forgotten", visible(&address));
        context.printer.note(&note);
    } else {
        let note = format!("Nothing of {} was remembered", visible(&address));
        context.printer.note(&note);
    }
    Ok(Status::Yes)
}

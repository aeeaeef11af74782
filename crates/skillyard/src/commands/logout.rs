//! `skillyard logout`.

use serde_json::json;
use skillyard_audit::{Event, EventKind};

use super::Outcome;
use super::login::auth_key;
use crate::config::edit::Target;
use crate::context::Context;
use crate::error::Status;
use crate::remote::Choice;

/// Forget the token for the registry
///
/// The token itself stays good; end it with `skillyard token revoke` before, or ask whoever runs
/// the registry.
///
/// Examples:
///   skillyard logout
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    #[command(flatten)]
    registry: Choice,
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let key = auth_key(args.registry.alias());
    let gone = Target::user(&context.environment).unset(&key)?;
    if !gone.is_empty() {
        let event = Event::new(EventKind::ConfigChanged)
            .trigger("logout")
            .detail("change", "unset")
            .detail("key", &key);
        context.record(&event)?;
    }
    if context.printer.is_json() {
        context
            .printer
            .json(&json!({ "changed": !gone.is_empty() }))?;
    } else if gone.is_empty() {
        context.printer.note("Nobody was logged in");
    } else {
        context.printer.note("Logged out");
    }
    Ok(Status::Yes)
}

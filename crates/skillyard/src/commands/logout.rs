//! `skillyard logout`.

use serde_json::json;
use skillyard_audit::{Event, EventKind};

use super::Outcome;
use super::login::AUTH;
use crate::config::edit::Target;
use crate::context::Context;
use crate::error::Status;

/// Forget the token for the registry
///
/// The token itself stays good; whoever runs the registry revokes it.
///
/// Examples:
///   skillyard logout
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {}

pub(crate) fn run(context: &Context) -> Outcome {
    let gone = Target::user(context.environment.config_file()).unset(AUTH)?;
    if !gone.is_empty() {
        let event = Event::new(EventKind::ConfigChanged)
            .trigger("logout")
            .detail("change", "unset")
            .detail("key", AUTH);
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

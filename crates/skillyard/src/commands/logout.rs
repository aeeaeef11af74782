//! `skillyard logout`.

use serde_json::json;
use skillyard_audit::{Event, EventKind};

use crate::config::edit::ConfigFile;
use crate::config::login::auth_key;
use crate::context::Context;
use crate::error::{ExitStatus, Outcome};
use crate::install::remote::RegistryArg;

/// Forget the token for the registry
///
/// The token itself stays good; end it with `skillyard token revoke` before, or ask whoever runs
/// the registry.
///
/// Examples:
///   skillyard logout
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct LogoutArgs {
    #[command(flatten)]
    registry: RegistryArg,
}

pub(crate) fn run(context: &Context, args: &LogoutArgs) -> Outcome {
    let key = auth_key(args.registry.alias());
    let gone = ConfigFile::user(&context.environment).unset(&key)?;
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
    Ok(ExitStatus::Success)
}

//! `skillyard token list`.

use serde_json::json;

use super::super::Outcome;
use super::state;
use crate::context::Context;
use crate::error::Status;
use crate::error::install::InstallFailure;
use crate::remote::Choice;
use crate::sanitize::visible;

/// List your tokens, without what they are
///
/// Examples:
///   skillyard token list
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {}

pub(super) fn run(context: &Context, choice: &Choice) -> Outcome {
    let remote = choice.open(context)?;
    let tokens = remote.registry.tokens(&remote.http);
    let tokens = tokens.map_err(InstallFailure::from)?;
    if context.printer.is_json() {
        context.printer.json(&json!({ "tokens": tokens }))?;
        return Ok(Status::Yes);
    }
    for each in &tokens {
        let state = state(each.revoked.as_deref(), each.expires.as_deref());
        let mark = if each.current { "*" } else { " " };
        let line = format!(
            "{mark} {}  {}…  {}  {state}  {}",
            each.id,
            each.prefix.as_deref().unwrap_or("sky_"),
            each.scopes.join(" "),
            each.label.as_deref().unwrap_or_default()
        );
        let line = visible(line.trim_end()).into_owned();
        context.printer.data(&format!("{line}\n"))?;
    }
    context
        .printer
        .note("* is the token you are logged in with");
    Ok(Status::Yes)
}

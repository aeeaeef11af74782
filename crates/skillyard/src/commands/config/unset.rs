//! `skillyard config unset`.

use serde_json::json;

use super::super::Outcome;
use super::{Which, forget, record};
use crate::config::layer::known;
use crate::config::origin::LayerKind;
use crate::config::problem::{ConfigError, Problem};
use crate::config::spelling::own_name;
use crate::context::Context;
use crate::error::{CommandError, Status};
use crate::sanitize::visible;

/// Take a key, or a table of keys, out of the file
///
/// Nothing of the value stays in the file, and no copy of the old file is kept.
///
/// Examples:
///   skillyard config unset registry.url
///   skillyard config unset sources.internal
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The key, or a table of keys
    key: String,
    #[command(flatten)]
    which: Which,
}

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    let target = args.which.target(context)?;
    let own = match known(&args.key) {
        Ok((own, _)) => Ok(own),
        Err(Problem::Table(key)) => Ok(key),
        Err(problem) => Err(problem),
    };
    // What is no key can still stand in the file, and then it has to go.
    let config = context.readable_config()?;
    context.ready_to_record()?;
    let mut gone = target.unset(own.as_deref().unwrap_or(&args.key))?;
    if gone.is_empty()
        && let Err(problem) = own
    {
        return Err(CommandError::Setting(ConfigError::here(problem)));
    }
    for key in &gone {
        record(context, "unset", key, &target)?;
    }
    let layer = args.which.layer().unwrap_or(LayerKind::User);
    let keys: Vec<String> = gone.iter().map(|key| own_name(key)).collect();
    let left = config.logins_left_by(|key| keys.iter().any(|each| each == key), &[], layer);
    forget(context, &left, &target)?;
    gone.extend(left.iter().cloned());
    let file = target.path.to_string_lossy();
    if context.printer.is_json() {
        context
            .printer
            .json(&json!({ "removed": gone, "file": file }))?;
        return Ok(Status::Yes);
    }
    for key in &gone {
        context.printer.data(&format!(" - {}\n", visible(key)))?;
    }
    let file = visible(&file);
    context.printer.note(&if gone.is_empty() {
        format!(
            "Nothing to do: `{}` is not set in `{file}`",
            visible(&args.key)
        )
    } else {
        format!("Removed from `{file}` for good")
    });
    for login in &left {
        let note = format!("`{login}` was for the place that is gone");
        context.printer.note(&note);
    }
    if let Ok(key) = own
        && let Ok(config) = context.config()
        && let Some(setting) = config.settings().find(|each| each.key == key)
    {
        context.printer.note(&format!(
            "It is still set: {}",
            visible(&setting.origin.described())
        ));
    }
    Ok(Status::Yes)
}

//! `skillyard config get`.

use serde_json::Value;

use super::super::Outcome;
use super::{Which, list};
use crate::config::layer::{Setting, known};
use crate::config::problem::{ConfigError, Problem};
use crate::context::Context;
use crate::error::{CommandError, Status};
use crate::sanitize::visible;

/// Print the value of a key
///
/// Of a table, such as `sources.internal`, every key below it is printed. The exit code is 1
/// when nothing is set.
///
/// Examples:
///   skillyard config get registry.url
///   skillyard config get sources --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The key, or a table of keys
    key: String,
    #[command(flatten)]
    which: Which,
    /// Say who set it
    #[arg(long)]
    show_origin: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    let config = context.config()?;
    let settings: Vec<Setting> = match args.which.layer() {
        Some(layer) => config.of_layer(layer)?,
        None => config
            .settings()
            .chain(config.unsaid_defaults())
            .cloned()
            .collect(),
    };
    let (own, is_table) = match known(&args.key) {
        Ok((own, _)) => (own, false),
        Err(Problem::Table(key)) => (key, true),
        Err(problem) => return Err(CommandError::Setting(ConfigError::here(problem))),
    };
    let below = format!("{own}.");
    let is_meant = |each: &&Setting| each.key == own || (is_table && each.key.starts_with(&below));
    let settings: Vec<&Setting> = settings.iter().filter(is_meant).collect();
    if settings.is_empty() {
        return Err(CommandError::Setting(ConfigError::here(Problem::NotSet(
            args.key.clone(),
        ))));
    }
    if is_table {
        list::print(context, &settings, args.show_origin)?;
        return Ok(Status::Yes);
    }
    if context.printer.is_json() {
        if let Some(shown) = joined(&settings) {
            context.printer.json(&shown)?;
        }
        return Ok(Status::Yes);
    }
    for setting in settings {
        let origin = if args.show_origin {
            format!("  # {}", setting.origin.described())
        } else {
            String::new()
        };
        let value = setting.value.plain();
        if !value.is_empty() {
            context
                .printer
                .data(&format!("{}{}\n", visible(&value), visible(&origin)))?;
        }
    }
    Ok(Status::Yes)
}

/// A key for programs: where layers count together, with what all of them say and the origin of
/// the strongest.
fn joined(settings: &[&Setting]) -> Option<Value> {
    let mut shown = list::as_json(settings.last()?);
    let said = settings.iter().map(|setting| setting.value.to_json());
    let entries: Option<Vec<Vec<Value>>> = said
        .map(|value| match value {
            Value::Array(entries) => Some(entries),
            _ => None,
        })
        .collect();
    if let Some(entries) = entries {
        shown["value"] = entries.concat().into();
    }
    Some(shown)
}

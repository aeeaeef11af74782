//! `skillyard config`: one file a verb.

mod check;
mod edit;
mod list;
mod set;

use clap::Subcommand;
use serde_json::{Value, json};
use skillyard_audit::{Event, EventKind};

use crate::config::edit::ConfigFile;
use crate::config::layer::{Setting, known};
use crate::config::{own_name, project, schema};
use crate::context::Context;
use crate::error::config_error::{ConfigError, ConfigProblem};
use crate::error::config_origin::LayerKind;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::text::sanitize::visible;

/// See and change the configuration
///
/// Defaults are overridden by the organisation's file, then yours, then the project's, then
/// SKILLYARD_… variables, then `--config KEY=VALUE`. Secrets are never shown.
///
/// Examples:
///   skillyard config list --show-origin
///   skillyard config set registry.url https://skills.example.com
///   skillyard config set sources.internal.auth 'bearer:${INTERNAL_TOKEN}'
///   skillyard config get install.scope
///   skillyard config unset registry.url
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[allow(
    clippy::doc_markdown,
    rustdoc::bare_urls,
    reason = "the examples are typed as they stand"
)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    verb: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    Get(ConfigGetArgs),
    Set(set::ConfigSetArgs),
    Unset(ConfigUnsetArgs),
    List(list::ConfigListArgs),
    Path(ConfigPathArgs),
    Edit(edit::ConfigEditArgs),
    Check(check::ConfigCheckArgs),
}

/// Which file is meant.
#[derive(Debug, Clone, Copy, clap::Args)]
struct ConfigFileArgs {
    /// The project's file: `.skillyard/config.toml` at its root
    #[arg(long, conflicts_with = "global")]
    project: bool,
    /// Your own file
    #[arg(long)]
    global: bool,
}

impl ConfigFileArgs {
    /// The layer that was named, if one was.
    fn layer(self) -> Option<LayerKind> {
        match (self.project, self.global) {
            (true, _) => Some(LayerKind::Project),
            (_, true) => Some(LayerKind::User),
            _ => None,
        }
    }

    /// The file to change: the user's own, unless the project's is named.
    fn target(self, context: &Context) -> Result<ConfigFile, CommandError> {
        let environment = &context.environment;
        if !self.project {
            return Ok(ConfigFile::user(environment));
        }
        match project::config_file(environment) {
            Some(file) => Ok(ConfigFile::project(file, environment)),
            None => Err(CommandError::Setting(ConfigError::here(
                ConfigProblem::NoProject,
            ))),
        }
    }
}

/// Writes down that a key was changed; never its value.
fn record(
    context: &Context,
    verb: &str,
    key: &str,
    target: &ConfigFile,
) -> Result<(), CommandError> {
    let event = Event::new(EventKind::ConfigChanged)
        .trigger("config")
        .detail("change", verb)
        .detail("key", key)
        .detail("file", target.path.to_string_lossy());
    context.record(&event)
}

/// Takes logins out of the file whose place another one takes: whoever is there has no business
/// with them.
fn forget(context: &Context, logins: &[String], target: &ConfigFile) -> Result<(), CommandError> {
    for login in logins {
        target.unset(login)?;
        record(context, "unset", login, target)?;
    }
    Ok(())
}

/// Says which logins went with their place.
fn tell_of_forgotten(context: &Context, logins: &[String]) {
    for login in logins {
        let note =
            format!("`{login}` was for the place before, and is gone; log in anew if need be");
        context.printer.note(&note);
    }
}

pub(crate) fn run(context: &Context, args: &ConfigArgs) -> Outcome {
    match &args.verb {
        ConfigCommand::Get(args) => run_get(context, args),
        ConfigCommand::Set(args) => set::run(context, args),
        ConfigCommand::Unset(args) => run_unset(context, args),
        ConfigCommand::List(args) => list::run(context, args),
        ConfigCommand::Path(args) => run_path(context, *args),
        ConfigCommand::Edit(args) => edit::run(context, args),
        ConfigCommand::Check(_) => check::run(context),
    }
}

/// Print where the configuration is
///
/// Examples:
///   skillyard config path
///   skillyard config path --project
///   skillyard config path --json       all of them
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(verbatim_doc_comment)]
struct ConfigPathArgs {
    #[command(flatten)]
    which: ConfigFileArgs,
}

fn run_path(context: &Context, args: ConfigPathArgs) -> Outcome {
    let path = args.which.target(context)?.path;
    if context.printer.is_json() {
        let environment = &context.environment;
        context.printer.json(&json!({
            "path": path.to_string_lossy(),
            "org": environment.org_config.to_string_lossy(),
            "user": environment.config_file().to_string_lossy(),
            "project": project::config_file(environment).map(|file| file.to_string_lossy().into_owned()),
        }))?;
        return Ok(ExitStatus::Success);
    }
    context
        .printer
        .data(&format!("{}\n", visible(&path.to_string_lossy())))?;
    Ok(ExitStatus::Success)
}

/// Take a key, or a table of keys, out of the file
///
/// Nothing of the value stays in the file, and no copy of the old file is kept.
///
/// Examples:
///   skillyard config unset registry.url
///   skillyard config unset sources.internal
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
struct ConfigUnsetArgs {
    /// The key, or a table of keys
    key: String,
    #[command(flatten)]
    which: ConfigFileArgs,
}

fn run_unset(context: &Context, args: &ConfigUnsetArgs) -> Outcome {
    let target = args.which.target(context)?;
    let own = match known(&args.key) {
        Ok((own, _)) => Ok(own),
        Err(ConfigProblem::Table { key, .. }) => Ok(key),
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
        return Ok(ExitStatus::Success);
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
    Ok(ExitStatus::Success)
}

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
struct ConfigGetArgs {
    /// The key, or a table of keys
    key: String,
    #[command(flatten)]
    which: ConfigFileArgs,
    /// Say who set it
    #[arg(long)]
    show_origin: bool,
}

fn run_get(context: &Context, args: &ConfigGetArgs) -> Outcome {
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
        Err(ConfigProblem::Table { key, .. }) => (key, true),
        Err(problem) => return Err(CommandError::Setting(ConfigError::here(problem))),
    };
    let below = format!("{own}.");
    let is_meant = |each: &&Setting| each.key == own || (is_table && each.key.starts_with(&below));
    let settings: Vec<&Setting> = settings.iter().filter(is_meant).collect();
    if settings.is_empty() {
        return Err(CommandError::Setting(ConfigError::here(
            ConfigProblem::NotSet {
                key: args.key.clone(),
                keys: schema::below(&args.key),
            },
        )));
    }
    if is_table {
        list::print(context, &settings, args.show_origin)?;
        return Ok(ExitStatus::Success);
    }
    if context.printer.is_json() {
        if let Some(shown) = joined(&settings) {
            context.printer.json(&shown)?;
        }
        return Ok(ExitStatus::Success);
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
    Ok(ExitStatus::Success)
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

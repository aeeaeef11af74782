//! `skillyard config`: one file a verb.

mod check;
mod edit;
mod get;
mod list;
mod path;
mod set;
mod unset;

use clap::Subcommand;
use skillyard_audit::{Event, EventKind};

use super::Outcome;
use crate::config::edit::Target;
use crate::config::origin::LayerKind;
use crate::config::problem::{ConfigError, Problem};
use crate::config::project;
use crate::context::Context;
use crate::error::CommandError;

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
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Get(get::Args),
    Set(set::Args),
    Unset(unset::Args),
    List(list::Args),
    Path(path::Args),
    Edit(edit::Args),
    Check(check::Args),
}

/// Which file is meant.
#[derive(Debug, Clone, Copy, clap::Args)]
struct Which {
    /// The project's file: `.skillyard/config.toml` at its root
    #[arg(long, conflicts_with = "global")]
    project: bool,
    /// Your own file
    #[arg(long)]
    global: bool,
}

impl Which {
    /// The layer that was named, if one was.
    fn layer(self) -> Option<LayerKind> {
        match (self.project, self.global) {
            (true, _) => Some(LayerKind::Project),
            (_, true) => Some(LayerKind::User),
            _ => None,
        }
    }

    /// The file to change: the user's own, unless the project's is named.
    fn target(self, context: &Context) -> Result<Target, CommandError> {
        let environment = &context.environment;
        if !self.project {
            return Ok(Target::user(environment));
        }
        match project::config_file(environment) {
            Some(file) => Ok(Target::project(file, environment)),
            None => Err(CommandError::Setting(ConfigError::here(Problem::NoProject))),
        }
    }
}

/// Writes down that a key was changed; never its value.
fn record(context: &Context, verb: &str, key: &str, target: &Target) -> Result<(), CommandError> {
    let event = Event::new(EventKind::ConfigChanged)
        .trigger("config")
        .detail("change", verb)
        .detail("key", key)
        .detail("file", target.path.to_string_lossy());
    context.record(&event)
}

/// Takes logins out of the file whose place another one takes: whoever is there has no business
/// with them.
fn forget(context: &Context, logins: &[String], target: &Target) -> Result<(), CommandError> {
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

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    match &args.verb {
        Verb::Get(args) => get::run(context, args),
        Verb::Set(args) => set::run(context, args),
        Verb::Unset(args) => unset::run(context, args),
        Verb::List(args) => list::run(context, args),
        Verb::Path(args) => path::run(context, *args),
        Verb::Edit(args) => edit::run(context, args),
        Verb::Check(_) => check::run(context),
    }
}

//! `skillyard config list`.

use std::fmt::Write as _;

use serde_json::{Value, json};
use skillyard_catalog::ProjectTrust;

use crate::commands::config::ConfigFileArgs;
use crate::config::discovery::TrustProjects;
use crate::config::keys::entries;
use crate::config::layer::Setting;
use crate::config::schema::KeySpec;
use crate::config::{Config, project};
use crate::context::Context;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::text::sanitize::visible;
use crate::text::shell::shell_word;

/// List what is set
///
/// Examples:
///   skillyard config list
///   skillyard config list --show-origin    who set each value, with file and line
///   skillyard config list --all            also what holds by default
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct ConfigListArgs {
    #[command(flatten)]
    which: ConfigFileArgs,
    /// Say who set each value
    #[arg(long)]
    show_origin: bool,
    /// Also list what holds by default, and keys without a value
    #[arg(long)]
    all: bool,
}

pub(super) fn run(context: &Context, args: &ConfigListArgs) -> Outcome {
    let config = context.config()?;
    let mut settings: Vec<Setting> = match args.which.layer() {
        Some(layer) => config.of_layer(layer)?,
        None => config.settings().cloned().collect(),
    };
    if args.all {
        settings.extend(config.unsaid_defaults().cloned());
    }
    settings.sort_by(|first, second| first.key.cmp(&second.key));
    let settings: Vec<&Setting> = settings.iter().collect();
    if args.all && context.printer.is_json() {
        let unset = unset(&settings).map(
            |entry| json!({ "key": entry.key, "type": entry.kind.to_string(), "doc": entry.doc }),
        );
        let unset: Vec<Value> = unset.collect();
        let settings: Vec<Value> = settings.iter().map(|each| as_json(each)).collect();
        context
            .printer
            .json(&json!({ "settings": settings, "unset": unset }))?;
        return Ok(ExitStatus::Success);
    }
    print(context, &settings, args.show_origin)?;
    if args.all {
        let lines = unset(&settings).map(|entry| format!("# {}: {}\n", entry.key, entry.doc));
        context.printer.data(&lines.collect::<String>())?;
    } else if settings.is_empty() {
        context
            .printer
            .note("Nothing is set; see every key with `skillyard config list --all`");
    }
    tell_of_project(context, &config);
    Ok(ExitStatus::Success)
}

/// Prints settings as TOML with dotted keys, or as JSON.
pub(super) fn print(
    context: &Context,
    settings: &[&Setting],
    show_origin: bool,
) -> Result<(), CommandError> {
    if context.printer.is_json() {
        let settings: Vec<Value> = settings.iter().map(|each| as_json(each)).collect();
        context.printer.json(&json!({ "settings": settings }))?;
        return Ok(());
    }
    let mut text = String::new();
    for setting in settings {
        let _ = write!(
            text,
            "{} = {}",
            setting.key,
            visible(&setting.value.to_string())
        );
        if show_origin {
            let _ = write!(text, "  # {}", visible(&setting.origin.described()));
        }
        text.push('\n');
    }
    context.printer.data(&text)?;
    Ok(())
}

/// The keys that have no value.
fn unset(settings: &[&Setting]) -> impl Iterator<Item = &'static KeySpec> {
    entries().filter(|entry| {
        let mut set = settings.iter().map(|setting| setting.entry.key);
        !set.any(|key| key == entry.key)
    })
}

/// A setting for programs.
pub(super) fn as_json(setting: &Setting) -> Value {
    json!({
        "key": setting.key,
        "value": setting.value.to_json(),
        "origin": setting.origin.to_json(),
    })
}

/// That a project's file is there but has no say would be missed.
fn tell_of_project(context: &Context, config: &Config) {
    let Some(file) = project::config_file(&context.environment) else {
        return;
    };
    if config.project_trust == ProjectTrust::Trusted || file.symlink_metadata().is_err() {
        return;
    }
    let file = file.to_string_lossy().into_owned();
    let why = match config.trust_projects() {
        TrustProjects::Never => ": `discovery.trust_projects` is `never`".to_owned(),
        _ if project::root(&context.environment).to_str().is_none() => {
            format!(": {}", project::TO_RENAME)
        }
        TrustProjects::Ask | TrustProjects::Always => {
            let root = shell_word(&project::typed_here(&context.environment));
            format!(" before you trust the project with `skillyard trust {root}`")
        }
    };
    let note = format!("`{}` has no say{}", visible(&file), visible(&why));
    context.printer.note(&note);
    // What cannot even be read is nobody's trouble before.
    for problem in config.problems_of_project().unwrap_or_default() {
        context.printer.note(&format!(
            "  it could not be used then: {}",
            visible(&problem.to_string())
        ));
    }
}

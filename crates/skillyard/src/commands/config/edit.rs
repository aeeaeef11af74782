//! `skillyard config edit`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::{record, tell_of_forgotten};
use crate::commands::config::ConfigFileArgs;
use crate::config::denied_tools;
use crate::config::edit::ConfigFile;
use crate::config::layer::{Layer, Setting};
use crate::context::Context;
use crate::editor::Editor;
use crate::error::config_error::{ConfigError, ConfigProblem};
use crate::error::config_origin::LayerKind;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::files::private;
use crate::text::sanitize::visible;

/// Change the file in your editor
///
/// You edit a copy, which takes the place of the file only when it can be used: what `config set`
/// would refuse, such as a key that your organisation has locked, is refused here too. Where an
/// address becomes one on another host, the login that was for it goes.
///
/// Examples:
///   skillyard config edit
///   EDITOR='code --wait' skillyard config edit --project
///   skillyard config edit --from kept.toml   go on with a text that was kept
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct ConfigEditArgs {
    #[command(flatten)]
    which: ConfigFileArgs,
    /// Begin with the text in this file, such as one that was kept when it could not be used
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
}

/// What a new file begins with.
const FIRST_LINES: &str =
    "# The configuration of Skillyard; see every key with `skillyard config list --all`.\n";

pub(super) fn run(context: &Context, args: &ConfigEditArgs) -> Outcome {
    let target = args.which.target(context)?;
    let layer = args.which.layer().unwrap_or(LayerKind::User);
    let editor = Editor::of(context)?;
    // Before anybody writes what could not be used.
    context.ready_to_record()?;
    let before = private::read(&target.path, target.owner)?.text;
    let kept = args.from.as_deref().map(kept).transpose()?;
    let shown = match &kept {
        Some(kept) => kept,
        None if before.is_empty() => FIRST_LINES,
        None => &before,
    };
    let copy = copy(&target, shown)?;
    let failed = |failure| CommandError::Setting(ConfigError::here(ConfigProblem::Editor(failure)));
    if let Err(failure) = editor.open(&copy) {
        drop(std::fs::remove_file(&copy));
        return Err(failed(failure));
    }
    // Nobody empties a configuration by removing a copy of it.
    let after = private::existing_text(&copy)?;
    let after = after.ok_or_else(|| failed(editor.left_nothing()))?;
    if after == before || kept.is_none() && after == shown {
        drop(std::fs::remove_file(&copy));
        return told(context, &target.path, false);
    }
    let old = Layer::of_file(layer, &target.path, &before);
    let new = Layer::of_file(layer, &copy, &after);
    let left = left_behind(context, layer, &old, &new)?;
    let problems = problems(context, &target, layer, &old, new)?;
    if !problems.is_empty() {
        let problem = ConfigProblem::Unusable {
            kept: copy,
            problems,
        };
        return Err(CommandError::Setting(ConfigError::here(problem)));
    }
    context.ready_to_record()?;
    target.change(|now| {
        if now == before {
            let mut text = after.clone();
            for login in &left {
                text = target.without(&text, login)?.0;
            }
            return Ok(text);
        }
        let problem = ConfigProblem::Changed { kept: copy.clone() };
        Err(CommandError::Setting(ConfigError::here(problem)))
    })?;
    drop(std::fs::remove_file(&copy));
    if let Some(from) = args.from.as_deref().filter(|from| is_copy(from, &target)) {
        drop(std::fs::remove_file(from));
    }
    record(context, "edit", "*", &target)?;
    let status = told(context, &target.path, true)?;
    tell_of_forgotten(context, &left);
    Ok(status)
}

/// The text to begin with, which has to be there: an empty one would take the configuration's place.
fn kept(from: &Path) -> Result<String, CommandError> {
    let text = private::existing_text(from)?;
    text.ok_or_else(|| CommandError::NoSuchPath(from.to_owned()))
}

/// The logins that stay as they were while their place becomes another one: whoever is there has no
/// business with them. One that was written anew is for the new place.
fn left_behind(
    context: &Context,
    layer: LayerKind,
    old: &Layer,
    new: &Layer,
) -> Result<Vec<String>, CommandError> {
    let config = context.readable_config()?;
    let mut left = config.logins_left_by(|_| true, &new.settings, layer);
    left.retain(|login| {
        let mut settings = new.settings.iter().filter(|each| each.key == *login);
        settings.any(|each| stood(old, each))
    });
    Ok(left)
}

/// What the names of copies begin with.
const COPY: &str = "config-";

/// The folder for copies: the lock's is the user's own, also when the file is a project's.
fn copies(target: &ConfigFile) -> &Path {
    target.lock.parent().unwrap_or(Path::new("."))
}

/// Whether a file is a copy that was made here, which has served when its text is in use.
fn is_copy(file: &Path, target: &ConfigFile) -> bool {
    let name = file.file_name().and_then(|name| name.to_str());
    let folder = file.parent().and_then(|folder| folder.canonicalize().ok());
    name.is_some_and(|name| name.starts_with(COPY)) && folder == copies(target).canonicalize().ok()
}

/// A copy in the same folder, for the user's eyes alone, that editors see as TOML.
fn copy(target: &ConfigFile, text: &str) -> Result<PathBuf, CommandError> {
    let folder = copies(target);
    drop(private::lock(&target.lock)?);
    let make = || -> std::io::Result<PathBuf> {
        let mut file = tempfile::Builder::new()
            .prefix(COPY)
            .suffix(".toml")
            .tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        let (_, path) = file.keep()?;
        Ok(path)
    };
    make().map_err(|source| CommandError::Write {
        path: folder.to_owned(),
        source,
    })
}

/// All that is wrong with the new text, in the lines of the copy that has it; also what `config set`
/// would refuse.
fn problems(
    context: &Context,
    target: &ConfigFile,
    layer: LayerKind,
    old: &Layer,
    new: Layer,
) -> Result<Vec<ConfigError>, CommandError> {
    // A configuration that cannot be read has no say: this may be what mends it.
    let config = context.config().ok();
    let mut found = Vec::new();
    for setting in new.settings.iter().filter(|each| !stood(old, each)) {
        let lifted = || config.as_ref()?.lifted_by(setting, layer);
        let problem = target.locks.refuse(&setting.key).err();
        let problem = problem.or_else(|| denied_tools::problem(setting));
        let problem = problem.or_else(lifted);
        found.extend(problem.map(|problem| ConfigError {
            at: Some(setting.origin.clone()),
            problem,
        }));
    }
    if layer != LayerKind::Project || !new.problems.is_empty() {
        found.extend(new.problems);
    } else {
        found.extend(context.config()?.problems_with_project(new));
    }
    Ok(found)
}

/// Whether the file said the same before. What the organisation locked later may stay: it does not
/// count, and every command says so.
fn stood(old: &Layer, setting: &Setting) -> bool {
    let written = |setting: &Setting| setting.value.written().map(|value| value.to_string());
    let mut same = old.settings.iter().filter(|each| each.key == setting.key);
    same.any(|each| written(each) == written(setting))
}

fn told(context: &Context, path: &Path, changed: bool) -> Outcome {
    let file = path.to_string_lossy();
    if context.printer.is_json() {
        context
            .printer
            .json(&json!({ "file": file, "changed": changed }))?;
    } else if changed {
        context
            .printer
            .note(&format!("Written to `{}`", visible(&file)));
    } else {
        context.printer.note("Nothing changed");
    }
    Ok(ExitStatus::Success)
}

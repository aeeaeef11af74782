//! `skillyard config edit`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::super::Outcome;
use super::{Which, record};
use crate::config::edit::Target;
use crate::config::layer::Layer;
use crate::config::origin::LayerKind;
use crate::config::private_file;
use crate::config::problem::{ConfigError, Problem};
use crate::context::Context;
use crate::editor::Editor;
use crate::error::{CommandError, Status};
use crate::sanitize::visible;

/// Change the file in your editor
///
/// You edit a copy, which takes the place of the file only when it can be used.
///
/// Examples:
///   skillyard config edit
///   EDITOR='code --wait' skillyard config edit --project
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    #[command(flatten)]
    which: Which,
}

/// What a new file begins with.
const FIRST_LINES: &str =
    "# The configuration of Skillyard; see every key with `skillyard config list --all`.\n";

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    let target = args.which.target(context)?;
    let layer = args.which.layer().unwrap_or(LayerKind::User);
    let editor = Editor::of(context)?;
    let before = private_file::read(&target.path, target.owner)?.text;
    let shown = if before.is_empty() {
        FIRST_LINES
    } else {
        &before
    };
    let copy = copy(&target, shown)?;
    if editor.open(&copy).is_err() {
        drop(std::fs::remove_file(&copy));
        return Err(CommandError::Setting(ConfigError::here(Problem::Editor)));
    }
    let after = private_file::read_text(&copy)?;
    if after == shown {
        drop(std::fs::remove_file(&copy));
        return told(context, &target.path, false);
    }
    let problems = problems(context, layer, &target.path, &after)?;
    if !problems.is_empty() {
        let problem = Problem::Unusable {
            kept: copy,
            problems,
        };
        return Err(CommandError::Setting(ConfigError::here(problem)));
    }
    target.change(|now| {
        if now == before {
            return Ok(after.clone());
        }
        let problem = Problem::Changed { kept: copy.clone() };
        Err(CommandError::Setting(ConfigError::here(problem)))
    })?;
    drop(std::fs::remove_file(&copy));
    record(context, "edit", "*", &target)?;
    told(context, &target.path, true)
}

/// A copy in the same folder, for the user's eyes alone, that editors see as TOML.
fn copy(target: &Target, text: &str) -> Result<PathBuf, CommandError> {
    // The lock's folder is the user's own, also when the file is a project's.
    let folder = target.lock.parent().unwrap_or(Path::new("."));
    drop(private_file::lock(&target.lock)?);
    let make = || -> std::io::Result<PathBuf> {
        let mut file = tempfile::Builder::new()
            .prefix("config-")
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

/// All that is wrong with the new text, in the lines of the file it is to become.
fn problems(
    context: &Context,
    layer: LayerKind,
    path: &Path,
    text: &str,
) -> Result<Vec<ConfigError>, CommandError> {
    let new = Layer::of_file(layer, path, text);
    if layer != LayerKind::Project || !new.problems.is_empty() {
        return Ok(new.problems);
    }
    Ok(context.config()?.problems_with_project(new))
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
    Ok(Status::Yes)
}

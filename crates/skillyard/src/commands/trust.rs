//! `skillyard trust`.

use std::path::{Path, PathBuf};

use serde_json::json;
use skillyard_audit::{Event, EventKind};

use super::Outcome;
use crate::context::Context;
use crate::error::{CommandError, Status};
use crate::sanitize::visible;
use crate::trusted;

/// Let the skills of a project be used
///
/// Skills that a project brings along are listed, but kept out of prompts until you trust it.
///
/// Examples:
///   skillyard trust .                this project
///   skillyard trust list             what is trusted
///   skillyard trust revoke .         no longer
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// A folder, `list`, or `revoke`
    target: String,
    /// The folder to revoke
    folder: Option<PathBuf>,
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let file = context.environment.approvals_file();
    match (args.target.as_str(), &args.folder) {
        ("list", None) => list(context, &file),
        ("revoke", Some(folder)) => set(context, &file, folder, false),
        ("revoke", None) => Err(CommandError::NoFolder),
        (folder, None) => set(context, &file, Path::new(folder), true),
        (_, Some(extra)) => Err(CommandError::UnexpectedArgument(
            extra.display().to_string(),
        )),
    }
}

fn list(context: &Context, file: &Path) -> Outcome {
    let folders = trusted::list(file)?;
    if context.printer.is_json() {
        let folders: Vec<_> = folders.iter().map(|each| each.to_string_lossy()).collect();
        context.printer.json(&json!({ "folders": folders }))?;
        return Ok(Status::Yes);
    }
    for folder in &folders {
        context
            .printer
            .data(&format!("{}\n", visible(&folder.to_string_lossy())))?;
    }
    if folders.is_empty() {
        context.printer.note("No folder is trusted");
    }
    Ok(Status::Yes)
}

fn set(context: &Context, file: &Path, folder: &Path, trusted: bool) -> Outcome {
    let folder = match folder.canonicalize() {
        Ok(folder) if !folder.is_dir() => return Err(CommandError::NotAFolder(folder)),
        Ok(folder) => folder,
        // What is gone can be revoked still, before something else takes its place.
        Err(_) if !trusted => context.environment.current_dir.join(folder),
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => {
            return Err(CommandError::NoSuchPath(folder.to_owned()));
        }
        Err(source) => {
            return Err(CommandError::Read {
                path: folder.to_owned(),
                source,
            });
        }
    };
    let changed = trusted::set(file, &folder, trusted)?;
    if changed {
        let kind = if trusted {
            EventKind::ApprovalGranted
        } else {
            EventKind::ApprovalRevoked
        };
        let event = Event::new(kind).detail("folder", folder.to_string_lossy());
        context.record(&event)?;
    }
    if context.printer.is_json() {
        context.printer.json(
            &json!({ "folder": folder.to_string_lossy(), "trusted": trusted, "changed": changed }),
        )?;
        return Ok(Status::Yes);
    }
    let shown = visible(&folder.to_string_lossy()).into_owned();
    let word = if trusted { "trusted" } else { "not trusted" };
    if changed {
        let sign = if trusted { '+' } else { '-' };
        context.printer.data(&format!(" {sign} {shown}\n"))?;
        context
            .printer
            .note(&format!("Skills in `{shown}` are now {word}"));
    } else {
        let already = if trusted { " already" } else { "" };
        context
            .printer
            .note(&format!("Nothing to do: `{shown}` is {word}{already}"));
    }
    Ok(Status::Yes)
}

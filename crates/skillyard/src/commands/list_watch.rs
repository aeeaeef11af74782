//! `skillyard list --watch`.

use std::path::PathBuf;

use serde_json::json;
use skillyard_catalog::Catalog;
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::watch::{Change, ChangeKind, WatchOptions, Watcher};

use super::Outcome;
use super::list::{mark, tilde};
use crate::context::Context;
use crate::error::{CommandError, Status};
use crate::library::{self, Choice, IndexMode};
use crate::sanitize::visible;

/// Tells each change of a skill as it happens, until the command is ended.
pub(super) fn run(context: &Context, catalog: &Catalog) -> Outcome {
    let roots: Vec<PathBuf> = catalog
        .sources
        .iter()
        .filter(|source| source.kind != SourceKind::Builtin)
        .map(|source| source.root.clone())
        .collect();
    let watcher = Watcher::new(&roots, WatchOptions::default()).map_err(CommandError::Watch)?;
    if context.printer.is_json() {
        context
            .printer
            .compact_json(&json!({ "watching": roots.len() }))?;
    }
    context
        .printer
        .note("Watching for changes; end with Ctrl-C");
    for change in watcher.changes() {
        tell(context, &change)?;
        if context.printer.is_unread() {
            break;
        }
    }
    Ok(Status::Yes)
}

fn tell(context: &Context, change: &Change) -> Result<(), CommandError> {
    let catalog = library::load(context, IndexMode::Use, &Choice::default())?;
    let skill = catalog
        .skills
        .iter()
        .find(|skill| skill.record.folder == change.skill_dir);
    let removed = change.kind == ChangeKind::Removed;
    if context.printer.is_json() {
        return Ok(context.printer.compact_json(&json!({
            "change": if removed { "removed" } else { "changed" },
            "path": change.skill_dir.to_string_lossy(),
            "name": skill.map(|skill| &skill.record.name),
            "status": skill.map(|skill| skill.status.as_str()),
        }))?);
    }
    let place = tilde(&change.skill_dir, context.environment.home.as_deref());
    let line = match skill {
        Some(skill) => format!(" ~ {} {}", mark(skill), visible(&skill.record.name)),
        None if removed => " -".to_owned(),
        // It lost to another of its name, or cannot be loaded.
        None => " ~".to_owned(),
    };
    context
        .printer
        .data(&format!("{line}  {}\n", visible(&place)))?;
    Ok(())
}

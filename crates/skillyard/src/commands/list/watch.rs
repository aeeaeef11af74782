//! `skillyard list --watch`.
//!
//! The system tells of changes in the folders of skills. The few files that decide which skills may be
//! used are looked at twice a second, as a server does.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use serde_json::json;
use skillyard_catalog::Catalog;
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::watch::{WatchOptions, Watcher};

use crate::commands::list::{chosen, mark};
use crate::commands::serving::decisions::files;
use crate::context::Context;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::library;
use crate::library::{IndexMode, NameFilter};
use crate::text::sanitize::visible;
use crate::text::tilde;

/// How often the files that decide about skills are looked at.
const LOOK: Duration = Duration::from_millis(500);

/// What is told of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
struct WatchedSkill {
    name: String,
    status: &'static str,
    mark: &'static str,
}

/// The skills that were told, by their folders.
type WatchedSkills = BTreeMap<PathBuf, WatchedSkill>;

/// Tells each change of a chosen skill as it happens, until the command is ended.
pub(crate) fn run(context: &Context, catalog: &Catalog, choice: &NameFilter) -> Outcome {
    let mut decided = files(context);
    let mut known = known(catalog);
    let all = library::load(context, IndexMode::Use, &NameFilter::default())?;
    let mut everything = folders(&all);
    let mut roots = roots(catalog);
    let mut watcher = watching(&roots)?;
    if context.printer.is_json() {
        context
            .printer
            .compact_json(&json!({ "watching": roots.len() }))?;
    }
    context
        .printer
        .note("Watching for changes; end with Ctrl-C");
    while !context.printer.is_unread() {
        let changed = match watcher.changes().recv_timeout(LOOK) {
            Ok(change) => Some(change.skill_dir),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        // Before they are read: what changes meanwhile is noticed the next time.
        let now = files(context);
        if changed.is_none() && now == decided {
            continue;
        }
        decided = now;
        let all = library::load(context, IndexMode::Use, &NameFilter::default())?;
        let others = crate::commands::list::watch::roots(&all);
        if others != roots {
            watcher = watching(&others)?;
            roots = others;
        }
        let after = crate::commands::list::watch::known(&chosen(all.clone(), choice)?);
        let folders = crate::commands::list::watch::folders(&all);
        // What cannot be loaded is told, whoever it is; what was not chosen is not.
        let is_told = |folder: &PathBuf| {
            let is_chosen = known.contains_key(folder) || after.contains_key(folder);
            let is_skill = everything.contains(folder) || folders.contains(folder);
            !choice.is_given() || is_chosen || !is_skill
        };
        let changed = changed.filter(is_told);
        tell_all(context, &known, &after, changed.as_deref())?;
        (known, everything) = (after, folders);
    }
    Ok(ExitStatus::Success)
}

fn watching(roots: &[PathBuf]) -> Result<Watcher, CommandError> {
    Watcher::new(roots, WatchOptions::default()).map_err(CommandError::Watch)
}

fn roots(catalog: &Catalog) -> Vec<PathBuf> {
    let sources = catalog.sources.iter();
    let sources = sources.filter(|source| source.kind != SourceKind::Builtin);
    sources.map(|source| source.root.clone()).collect()
}

/// The folders of all skills, also of those that lost to another.
fn folders(catalog: &Catalog) -> BTreeSet<PathBuf> {
    let shadowed = catalog.shadowed.iter().map(|loser| &loser.skill);
    let skills = catalog.skills.iter().chain(shadowed);
    skills.map(|skill| skill.record.folder.clone()).collect()
}

fn known(catalog: &Catalog) -> WatchedSkills {
    let skills = catalog.skills.iter().map(|skill| {
        let seen = WatchedSkill {
            name: skill.record.name.clone(),
            status: skill.status.as_str(),
            mark: mark(skill),
        };
        (skill.record.folder.clone(), seen)
    });
    skills.collect()
}

/// Tells what is other than it was, and of a folder that something changed in.
fn tell_all(
    context: &Context,
    before: &WatchedSkills,
    after: &WatchedSkills,
    changed: Option<&Path>,
) -> Result<(), CommandError> {
    let gone = before.keys().filter(|folder| !after.contains_key(*folder));
    let mut folders: Vec<&Path> = gone.chain(after.keys()).map(PathBuf::as_path).collect();
    folders
        .extend(changed.filter(|each| !before.contains_key(*each) && !after.contains_key(*each)));
    for folder in folders {
        let (was, is) = (before.get(folder), after.get(folder));
        if was != is || changed == Some(folder) {
            tell(context, folder, was, is)?;
        }
    }
    Ok(())
}

fn tell(
    context: &Context,
    folder: &Path,
    was: Option<&WatchedSkill>,
    is: Option<&WatchedSkill>,
) -> Result<(), CommandError> {
    let is_there = folder.exists();
    let (change, sign) = match (was, is) {
        (None, Some(_)) => ("added", '+'),
        (_, None) if was.is_some() || !is_there => ("removed", '-'),
        _ => ("changed", '~'),
    };
    let name = is.or(was).map(|seen| &seen.name);
    if context.printer.is_json() {
        return Ok(context.printer.compact_json(&json!({
            "change": change,
            "path": folder.to_string_lossy(),
            "name": name,
            "status": is.map(|seen| seen.status),
        }))?);
    }
    let place = tilde(folder, context.environment.home.as_deref());
    let line = match (name, is) {
        (Some(name), Some(is)) => format!(" {sign} {} {}", is.mark, visible(name)),
        (Some(name), None) => format!(" {sign} {}", visible(name)),
        // It lost to another of its name, or cannot be loaded.
        (None, _) => format!(" {sign}"),
    };
    context
        .printer
        .data(&format!("{line}  {}\n", visible(&place)))?;
    Ok(())
}

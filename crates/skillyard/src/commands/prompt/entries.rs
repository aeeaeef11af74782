//! The skills that a prompt is to hold: those of this machine, or those of given folders.

use std::io;
use std::path::Path;

use skillyard_catalog::budget::Fitting;
use skillyard_catalog::prompt::{DEFAULT_BUDGET, Room, fitted};
use skillyard_catalog::search::Detail;
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::{CatalogSkill, builtin};
use skillyard_format::render::catalog::CatalogEntry;
use skillyard_format::{Document, reference};

use super::{Args, Format};
use crate::commands::find::{choosable, rank};
use crate::commands::read::load;
use crate::context::Context;
use crate::error::CommandError;
use crate::library::{self, IndexMode};
use crate::report::for_people;
use crate::sanitize::visible;
use crate::skill_files::{self, SkillFileOnDisk};

/// The enabled skills of this machine, made to fit.
pub(super) fn from_catalog(
    context: &Context,
    args: &Args,
    format: Format,
) -> Result<(Vec<CatalogEntry>, Option<Fitting>), CommandError> {
    let catalog = library::load(context, IndexMode::Use, &args.choice)?;
    let mut skills = choosable(&catalog);
    let mut all = Vec::with_capacity(skills.len());
    let mut unwritten = None;
    skills.retain(|skill| match entry_of(context, args, skill) {
        Ok(entry) => {
            all.push(entry);
            true
        }
        Err(error) => {
            unwritten = Some(error);
            false
        }
    });
    if let Some(error) = unwritten {
        let folder = context.environment.skillyard_home.to_string_lossy();
        context.printer.note(&format!(
            "left out the built-in skills: cannot write them to {}: {error}",
            visible(&folder)
        ));
    }
    let ranking = args.task.as_ref().map(|task| {
        let hits = rank(context, &skills, task, skills.len(), Detail::Ranking);
        hits.iter()
            .map(|hit| hit.document as usize)
            .collect::<Vec<_>>()
    });
    let tokens = args.budget.unwrap_or(DEFAULT_BUDGET);
    let room = Room {
        tokens,
        skills: context.config()?.max_skills(),
    };
    let (entries, fitting) = fitted(&all, format.into(), room, ranking.as_deref());
    Ok((entries, Some(fitting)))
}

/// The skills of the given folders; they are made to fit only when a budget is given.
pub(super) fn from_paths(
    context: &Context,
    args: &Args,
    format: Format,
) -> Result<(Vec<CatalogEntry>, Option<Fitting>), CommandError> {
    let chosen = args.choice.filter()?;
    let mut all = Vec::new();
    for path in &args.paths {
        all.extend(entries_of(context, args, path)?);
    }
    all.retain(|entry| chosen(&entry.name));
    Ok(match args.budget {
        Some(tokens) => {
            let room = Room {
                tokens,
                skills: context.config()?.max_skills(),
            };
            let (entries, fitting) = fitted(&all, format.into(), room, None);
            (entries, Some(fitting))
        }
        None => (all, None),
    })
}

fn entry_of(context: &Context, args: &Args, skill: &CatalogSkill) -> io::Result<CatalogEntry> {
    let record = &skill.record;
    let on_disk = !args.no_location && args.mount.is_none();
    let folder = if skill.kind == SourceKind::Builtin && on_disk {
        // A model that reads files needs one.
        let folder = context.environment.skillyard_home.join("builtin");
        builtin::materialise(&record.name, &folder)?
    } else {
        record.folder.clone()
    };
    Ok(CatalogEntry {
        name: record.name.to_string(),
        description: record.description.to_string(),
        location: location(args, &folder, &record.file_name, &record.name),
    })
}

/// The entries of every skill that `path` names, in order of their folders.
fn entries_of(
    context: &Context,
    args: &Args,
    path: &Path,
) -> Result<Vec<CatalogEntry>, CommandError> {
    if args.format == Some(Format::SkillsRef) {
        return reference_entry(args, path).map(|entry| vec![entry]);
    }
    let files = skill_files::read_all(path)?;
    let mut entries = Vec::with_capacity(files.len());
    let only = files.len() == 1;
    for file in &files {
        let document = Document::parse(&file.bytes);
        match load(&file.folder, file, &document) {
            Ok((skill, _)) => entries.push(CatalogEntry {
                location: location(args, &file.folder, &file.file_name, &skill.name),
                name: skill.name.into_owned(),
                description: skill.description.into_owned(),
            }),
            Err(error) if only => return Err(error),
            Err(CommandError::NotLoadable { path, reason }) => {
                context.printer.note(&format!(
                    "left out {}: {}",
                    visible(&path.to_string_lossy()),
                    for_people(&reason)
                ));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(entries)
}

/// The entry as the reference implementation makes it; its errors are ours.
fn reference_entry(args: &Args, path: &Path) -> Result<CatalogEntry, CommandError> {
    let file: SkillFileOnDisk = match skill_files::read_one(path) {
        Err(CommandError::NotASkill(path) | CommandError::NotASkillFile(path)) => {
            let path = path.canonicalize().unwrap_or(path);
            return Err(CommandError::Reference(format!(
                "SKILL.md not found in {}",
                path.display()
            )));
        }
        other => other?,
    };
    let document = Document::parse(&file.bytes);
    let properties = reference::read_properties(&document.text).map_err(CommandError::Reference)?;
    Ok(CatalogEntry {
        location: location(args, &file.folder, &file.file_name, &properties.name),
        name: properties.name,
        description: properties.description,
    })
}

fn location(args: &Args, folder: &Path, file_name: &str, name: &str) -> Option<String> {
    if args.no_location {
        return None;
    }
    if let Some(mount) = &args.mount {
        return Some(format!("{}/{name}", mount.trim_end_matches('/')));
    }
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    Some(folder.join(file_name).to_string_lossy().into_owned())
}

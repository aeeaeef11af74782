//! The skills of this machine that a prompt is to hold.

use std::io;
use std::path::Path;

use skillyard_catalog::prompt::{DEFAULT_BUDGET, Room};
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::{Catalog, CatalogSkill, builtin};
use skillyard_format::render::catalog::CatalogEntry;

use super::{Args, Chosen, Format};
use crate::commands::find::{choosable, rank};
use crate::context::Context;
use crate::error::CommandError;
use crate::library::{self, IndexMode};
use crate::report::listed;
use crate::sanitize::visible;

/// The enabled skills of this machine, made to fit.
pub(super) fn from_catalog(
    context: &Context,
    args: &Args,
    format: Format,
) -> Result<Chosen, CommandError> {
    let catalog = library::load(context, IndexMode::Use, &args.choice)?;
    let mut skills = choosable(&catalog);
    if args.mount.is_some() {
        leave_out_builtin(context, &mut skills);
    }
    let mut all = Vec::with_capacity(skills.len());
    let mut unwritten = None;
    skills.retain(
        |skill| match entry_of(context, args, format, &catalog, skill) {
            Ok(entry) => {
                all.push(entry);
                true
            }
            Err(error) => {
                unwritten = Some(error);
                false
            }
        },
    );
    if let Some(error) = unwritten {
        let folder = context.environment.skillyard_home.to_string_lossy();
        context.printer.note(&format!(
            "left out the built-in skills: cannot write them to {}: {error}",
            visible(&folder)
        ));
    }
    let detail = args.detail();
    let task = args.task.as_ref();
    let hits = task.map(|task| rank(&skills, task, skills.len(), detail));
    let room = Room {
        tokens: args.budget.unwrap_or(DEFAULT_BUDGET),
        skills: context.config()?.max_skills(),
    };
    let hits = hits.unwrap_or_default();
    Ok(Chosen::new(all, &hits, Some(room), format.into()))
}

/// Leaves out the skills that lie in no folder, which nothing is mounted of.
fn leave_out_builtin(context: &Context, skills: &mut Vec<&CatalogSkill>) {
    let is_inside = |skill: &CatalogSkill| skill.kind == SourceKind::Builtin;
    let inside = skills.iter().filter(|skill| is_inside(skill));
    let names: Vec<&str> = inside.map(|skill| skill.record.name.as_str()).collect();
    if names.is_empty() {
        return;
    }
    let note = format!(
        "left out {}, which lie in no folder that could be mounted: they are inside skillyard",
        listed(&names)
    );
    context.printer.note(&visible(&note));
    skills.retain(|skill| !is_inside(skill));
}

fn entry_of(
    context: &Context,
    args: &Args,
    format: Format,
    catalog: &Catalog,
    skill: &CatalogSkill,
) -> io::Result<CatalogEntry> {
    let record = &skill.record;
    let folder = if skill.kind == SourceKind::Builtin && args.has_locations(format) {
        // A model that reads files needs one.
        let folder = context.environment.skillyard_home.join("builtin");
        builtin::materialise(&record.name, &folder)?
    } else {
        record.folder.clone()
    };
    Ok(CatalogEntry {
        name: record.name.clone(),
        description: record.description.clone(),
        location: args.location(format, &folder, &record.file_name, || {
            let root = catalog.sources.get(skill.source).map(|source| &source.root);
            match root.and_then(|root| record.folder.strip_prefix(root).ok()) {
                Some(below) if below != Path::new("") => below.to_string_lossy().into_owned(),
                _ => record.name.clone(),
            }
        }),
    })
}

//! The skills of this machine that a prompt is to hold.

use std::io;
use std::path::Path;

use skillyard_catalog::budget::Fitting;
use skillyard_catalog::prompt::{DEFAULT_BUDGET, Room, fitted};
use skillyard_catalog::search::Detail;
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::{Catalog, CatalogSkill, builtin};
use skillyard_format::render::catalog::CatalogEntry;

use super::{Args, Format};
use crate::commands::find::{choosable, rank};
use crate::context::Context;
use crate::error::CommandError;
use crate::library::{self, IndexMode};
use crate::sanitize::visible;

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

fn entry_of(
    context: &Context,
    args: &Args,
    format: Format,
    catalog: &Catalog,
    skill: &CatalogSkill,
) -> io::Result<CatalogEntry> {
    let record = &skill.record;
    let on_disk = args.has_locations(format) && args.mount.is_none();
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
        location: args.location(format, &folder, &record.file_name, || {
            let root = catalog.sources.get(skill.source).map(|source| &source.root);
            match root.and_then(|root| record.folder.strip_prefix(root).ok()) {
                Some(below) if skill.kind != SourceKind::Builtin && below != Path::new("") => {
                    below.to_string_lossy().into_owned()
                }
                _ => record.name.to_string(),
            }
        }),
    })
}

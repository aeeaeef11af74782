//! Skills that nobody installed: their author wrote them into a skills folder.

use std::fs;
use std::path::{Path, PathBuf};

use skillyard_audit::{Event, EventKind};
use skillyard_catalog::source::SourceKind;
use skillyard_install::scope::ScopeKind;

use super::place::Place;
use crate::context::Context;
use crate::error::CommandError;
use crate::library::{self, Choice, IndexMode};

/// The folder of a skill of this scope that was not installed.
pub(crate) fn folder(
    context: &Context,
    place: &Place,
    name: &str,
) -> Result<Option<PathBuf>, CommandError> {
    let kind = match place.scope.kind {
        ScopeKind::User => SourceKind::User,
        ScopeKind::Project => SourceKind::Project,
    };
    let catalog = library::load(context, IndexMode::Use, &Choice::default())?;
    let skill = catalog.find(name).filter(|skill| skill.kind == kind);
    let folder = skill.map(|skill| skill.record.folder.clone());
    // What lies elsewhere was only linked or configured, and is not ours to delete.
    Ok(folder.filter(|folder| lies_in(folder, &place.scope.root)))
}

/// Whether a folder lies below another one once all links on the way there are followed. It may
/// itself be a link, because then only the link is deleted.
fn lies_in(folder: &Path, root: &Path) -> bool {
    let around = folder
        .parent()
        .and_then(|around| around.canonicalize().ok());
    let root = root.canonicalize();
    around.is_some_and(|around| root.is_ok_and(|root| around.starts_with(root)))
}

/// Deletes it for good; of a link only the link.
pub(crate) fn delete(context: &Context, name: &str, folder: &Path) -> Result<(), CommandError> {
    context.ready_to_record()?;
    let is_link = fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_symlink());
    let deleted = if is_link {
        fs::remove_file(folder)
    } else {
        fs::remove_dir_all(folder)
    };
    deleted.map_err(|source| CommandError::Write {
        path: folder.to_owned(),
        source,
    })?;
    let event = Event::new(EventKind::SkillRemoved).skill(name);
    let event = event.detail("folder", folder.to_string_lossy());
    context.record(&event)?;
    Ok(())
}

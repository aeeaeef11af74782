//! Skills that nobody installed: their author, or another tool, put them into a skills folder.

use std::fs;
use std::path::{Path, PathBuf};

use skillyard_audit::{Event, EventKind};
use skillyard_catalog::Catalog;
use skillyard_catalog::resource::{SkillRoot, digest};
use skillyard_catalog::source::SourceKind;
use skillyard_format::Digest;
use skillyard_install::scope::{Scope, ScopeKind};

use crate::context::Context;
use crate::error::CommandError;
use crate::library;
use crate::library::{IndexMode, NameFilter};
use crate::scope::ScopeContext;

/// A skill of a scope that was not installed.
pub(crate) struct UnmanagedSkill {
    /// Its name.
    pub(crate) name: String,
    /// Its folder, those with the same files for other agents, and links to them.
    pub(crate) folders: Vec<PathBuf>,
    /// Whether all of these are links, which lead to where it stays.
    pub(crate) is_linked: bool,
}

/// The skill of a name in this scope that was not installed.
pub(crate) fn find(
    context: &Context,
    place: &ScopeContext,
    name: &str,
) -> Result<Option<UnmanagedSkill>, CommandError> {
    let catalog = library::load(context, IndexMode::Use, &NameFilter::default())?;
    let skill = catalog
        .find(name)
        .filter(|skill| is_of(&place.scope, skill.kind));
    let folder = skill.map(|skill| skill.record.folder.clone());
    // What lies elsewhere was only linked or configured, and is not ours to delete.
    let folder = folder.filter(|folder| lies_in(folder, &place.scope));
    Ok(folder.map(|folder| {
        let files = content_of(&folder);
        let real = folder.canonicalize().ok();
        let mut folders = vec![folder.clone()];
        for each in beside(&catalog, &place.scope, &folder) {
            let is_same = each.canonicalize().ok() == real || content_of(&each) == files;
            if is_same && files.is_some() {
                folders.push(each);
            }
        }
        UnmanagedSkill {
            name: name.to_owned(),
            is_linked: folders.iter().all(|each| each.is_symlink()),
            folders,
        }
    }))
}

/// The folders of skills of a name in all folders of skills, but for those that go: whoever removes
/// one is offered the others still.
pub(crate) fn staying(catalog: &Catalog, name: &str, going: &[PathBuf]) -> Vec<PathBuf> {
    let real = |folder: &Path| folder.canonicalize().ok();
    let mut seen: Vec<Option<PathBuf>> = going.iter().map(|each| real(each)).collect();
    let losers = catalog.shadowed.iter().map(|loser| &loser.skill);
    let known = catalog.skills.iter().chain(losers);
    let known = known.filter(|skill| skill.kind != SourceKind::Builtin);
    let known = known.filter(|skill| *skill.record.name == *name);
    let known = known.map(|skill| skill.record.folder.clone());
    // Of those with the same files only one is in the catalog.
    let sources = catalog.sources.iter();
    let sources = sources.filter(|source| source.kind != SourceKind::Builtin);
    let same = sources.map(|source| source.root.join(name));
    let same = same.filter(|folder| folder.join("SKILL.md").is_file());
    let mut found = Vec::new();
    for folder in known.chain(same) {
        let real = real(&folder);
        if !seen.contains(&real) {
            seen.push(real);
            found.push(folder);
        }
    }
    found
}

/// The links of a scope that lead to a skill in this place, and nowhere once it is gone.
pub(crate) fn links_to(catalog: &Catalog, scope: &Scope, place: &Path) -> Vec<PathBuf> {
    // Where it is a link itself, what that leads to stays.
    let real = place.canonicalize().ok().filter(|_| !place.is_symlink());
    let mut links = beside(catalog, scope, place);
    links.retain(|each| each.is_symlink() && real.is_some() && each.canonicalize().ok() == real);
    links
}

/// What is called like a skill in the other folders of skills of its scope.
fn beside(catalog: &Catalog, scope: &Scope, folder: &Path) -> Vec<PathBuf> {
    let Some(name) = folder.file_name() else {
        return Vec::new();
    };
    // A folder of skills that is a link to another one is that one.
    let around = |each: &Path| each.parent().and_then(|around| around.canonicalize().ok());
    let mut seen = vec![around(folder)];
    let sources = catalog.sources.iter();
    let sources = sources.filter(|source| is_of(scope, source.kind));
    let mut found = Vec::new();
    for each in sources.map(|source| source.root.join(name)) {
        let around = around(&each);
        let is_there = fs::symlink_metadata(&each).is_ok() && lies_in(&each, scope);
        if is_there && !seen.contains(&around) {
            seen.push(around);
            found.push(each);
        }
    }
    found
}

/// Whether the folders of a source are those of a scope.
fn is_of(scope: &Scope, kind: SourceKind) -> bool {
    match scope.kind {
        ScopeKind::User => matches!(kind, SourceKind::User | SourceKind::Plugin),
        ScopeKind::Project => kind == SourceKind::Project,
    }
}

/// What a folder consists of.
pub(crate) fn content_of(folder: &Path) -> Option<Digest> {
    digest(&SkillRoot::open(folder).ok()?).ok()
}

/// Whether a folder lies in a scope once all links on the way there are followed. It may itself be
/// a link, because then only the link is deleted.
fn lies_in(folder: &Path, scope: &Scope) -> bool {
    let around = folder
        .parent()
        .and_then(|around| around.canonicalize().ok());
    let mut roots = scope.roots().filter_map(|root| root.canonicalize().ok());
    around.is_some_and(|around| roots.any(|root| around.starts_with(root)))
}

/// Deletes a folder of a skill for good; of a link only the link.
pub(crate) fn delete(context: &Context, name: &str, folder: &Path) -> Result<(), CommandError> {
    context.ready_to_record()?;
    let deleted = if folder.is_symlink() {
        fs::remove_file(folder)
    } else {
        skillyard_catalog::private_dir::remove(folder)
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

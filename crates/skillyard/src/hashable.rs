//! Skills whose files cannot be hashed: nobody could say what a model was given of them, so that
//! they are in no prompt and are refused everywhere.
//!
//! Files are hashed when a skill is used. Who looks closely at one finds out earlier, here.

use std::path::Path;

use skillyard_catalog::resource::{ResourceError, SeenFile, SkillRoot, probe_seeing};
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::{Catalog, CatalogSkill, Status, unhashable};

use crate::context::Context;

/// What the user can do about such a skill.
pub(crate) const REMEDY: &str = "Take out of its folder what is no part of the skill, such as \
                                 `node_modules` or `.venv`, and make all files in it readable";

/// Looks whether the skills that are meant can be hashed, and gives those that cannot their standing.
pub(crate) fn look(
    context: &Context,
    catalog: &mut Catalog,
    is_meant: impl Fn(&CatalogSkill) -> bool,
) {
    for skill in catalog.enabled_mut() {
        if skill.kind == SourceKind::Builtin || !is_meant(skill) {
            continue;
        }
        if let Err(error) = check(&skill.record.folder) {
            note(context, &skill.record.folder, &error);
            let reason = error.whole();
            skill.status = Status::Unhashable { reason };
        }
    }
}

/// Why the files in a folder cannot be hashed, if they cannot.
pub(crate) fn check(folder: &Path) -> Result<(), ResourceError> {
    check_seeing(folder, &mut |_| {})
}

/// The same; tells all that is seen in the folder on the way.
pub(crate) fn check_seeing(
    folder: &Path,
    seen: &mut dyn FnMut(SeenFile<'_>),
) -> Result<(), ResourceError> {
    match SkillRoot::open(folder) {
        Ok(root) => probe_seeing(&root, seen),
        // What is gone is told elsewhere.
        Err(_) => Ok(()),
    }
}

/// Remembers that the files in a folder cannot be hashed.
pub(crate) fn note(context: &Context, folder: &Path, error: &ResourceError) {
    let index = context.environment.skillyard_home.join("index");
    unhashable::note(&index, folder, error);
}

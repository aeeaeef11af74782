//! Which skills of the catalog were altered after they were installed.
//!
//! What a skill's file says of it goes into prompts, so it counts only while the skill is what was
//! installed or approved. Skills that no lock names are nobody's but the user's.

use std::path::{Path, PathBuf};

use skillyard_catalog::known_digests::digests;
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::{Catalog, CatalogSkill, Status};
use skillyard_install::records::Records;
use skillyard_install::scope::Scope;

use crate::context::Context;
use crate::error::CommandError;
use crate::install::place;
use crate::library::IndexMode;
use crate::permission::Permissions;

/// Takes from the installed skills that were altered the standing that lets them into prompts.
pub(crate) fn mark(
    context: &Context,
    mode: IndexMode,
    catalog: &mut Catalog,
) -> Result<(), CommandError> {
    // Locks of many skills take long to read; mostly there are none.
    let scopes = place::scopes(context);
    let mut records = scopes.iter().flat_map(|scope| {
        let lock = Some(scope.lock_file());
        lock.into_iter().chain(scope.placed_file())
    });
    if !records.any(|record| record.exists()) {
        return Ok(());
    }
    if let Some(unreadable) = unreadable(&scopes) {
        // It could name any of them, so that nobody knows whether they are what was installed.
        let own = |skill: &&mut CatalogSkill| {
            matches!(skill.kind, SourceKind::User | SourceKind::Project)
        };
        for skill in catalog.enabled_mut().filter(own) {
            skill.status = Status::Disabled {
                reason: format!(
                    "held back while `{}` cannot be read; `skillyard doctor` says what to do",
                    unreadable.display()
                ),
            };
        }
        return Ok(());
    }
    let permissions = Permissions::load(context)?;
    let mut installed: Vec<&mut CatalogSkill> = catalog
        .enabled_mut()
        .filter(|skill| permissions.is_installed(&skill.record.folder))
        .collect();
    let folders: Vec<&Path> = installed
        .iter()
        .map(|skill| skill.record.folder.as_path())
        .collect();
    let memory = context.environment.skillyard_home.join("index/digests");
    let now = digests(&folders, (mode == IndexMode::Use).then_some(&memory));
    for (skill, now) in installed.iter_mut().zip(now) {
        let record = &skill.record;
        let is_sound = now.is_ok_and(|now| {
            let altered = permissions.altered(&record.name, &record.folder, now);
            altered.is_none()
        });
        if !is_sound {
            skill.status = Status::Altered;
        }
    }
    Ok(())
}

/// A lock that is there and cannot be read.
fn unreadable(scopes: &[Scope]) -> Option<PathBuf> {
    let is_broken = |scope: &&Scope| Records::default().lock(scope).is_err();
    scopes.iter().find(is_broken).map(Scope::lock_file)
}

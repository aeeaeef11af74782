//! Which skills of the catalog were altered after they were installed.
//!
//! What a skill's file says of it goes into prompts, so it counts only while the skill is what was
//! installed or approved. Skills that no lock names are nobody's but the user's.

use std::path::Path;

use skillyard_catalog::known_digests::{self, digests};
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::{Catalog, CatalogSkill, Status};
use skillyard_install::records::Records;
use skillyard_install::scope::Scope;

use crate::context::Context;
use crate::error::CommandError;
use crate::library::IndexMode;
use crate::library::installed::{Installed, has_records};
use crate::library::permission::Permissions;
use crate::scope;
use crate::scope::is_among_own;

/// Takes from the installed skills that were altered the standing that lets them into prompts.
pub(crate) fn mark(
    context: &Context,
    mode: IndexMode,
    catalog: &mut Catalog,
) -> Result<(), CommandError> {
    // Locks of many skills take long to read; mostly there are none.
    let scopes = scope::deciding(context);
    let others = Installed::elsewhere(context, &scopes);
    let is_elsewhere = |skill: &mut CatalogSkill| others.is_elsewhere(&skill.record.folder);
    if !scopes.iter().any(has_records) && !catalog.enabled_mut().any(is_elsewhere) {
        return Ok(());
    }
    let doctor = "; `skillyard doctor` says what to do";
    let broken: Vec<&Scope> = scopes.iter().filter(|scope| is_broken(scope)).collect();
    let mut among_own = broken.iter().filter(|scope| is_among_own(context, scope));
    if let Some(unreadable) = among_own.next() {
        // It could name any of them, so that nobody knows whether they are what was installed.
        let own = |skill: &&mut CatalogSkill| {
            matches!(
                skill.kind,
                SourceKind::User | SourceKind::Plugin | SourceKind::Project
            )
        };
        for skill in catalog.enabled_mut().filter(own) {
            skill.status = held_back(&unreadable.lock_file(), doctor);
        }
        return Ok(());
    }
    let permissions = Permissions::to_look(context)?;
    for skill in catalog.enabled_mut() {
        if let Some(unreadable) = permissions.unreadable(&skill.record.folder) {
            let is_here = broken.iter().any(|scope| scope.lock_file() == unreadable)
                || unreadable.starts_with(&context.environment.skillyard_home);
            skill.status = held_back(&unreadable, if is_here { doctor } else { "" });
        }
    }
    let mut installed: Vec<&mut CatalogSkill> = catalog
        .enabled_mut()
        .filter(|skill| permissions.is_installed(&skill.record.folder))
        .collect();
    let folders: Vec<&Path> = installed
        .iter()
        .map(|skill| skill.record.folder.as_path())
        .collect();
    let memory = known_digests::file(&context.environment.skillyard_home.join("index"));
    let now = digests(&folders, (mode == IndexMode::Use).then_some(&memory));
    for (skill, now) in installed.iter_mut().zip(now) {
        let record = &skill.record;
        if let Some(unsound) = permissions.compared(&record.name, &record.folder, now) {
            skill.status = unsound;
        }
    }
    Ok(())
}

/// A skill that may be another one than was installed.
pub(crate) fn held_back(unreadable: &Path, more: &str) -> Status {
    let lock = unreadable.display();
    Status::HeldBack {
        reason: format!("held back while `{lock}` cannot be read{more}"),
    }
}

/// Whether a lock is there and cannot be read.
fn is_broken(scope: &Scope) -> bool {
    Records::default().lock(scope).is_err()
}

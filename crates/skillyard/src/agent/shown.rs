//! The files of skills that a command in the workspace sees.
//!
//! A command can start whatever it can read. So it sees a copy of exactly what was loaded of each
//! active skill whose scripts may run, and of one whose scripts are blocked nothing, also where
//! it lies in the workspace.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use skillyard_agent::host::{Permission, SkillFiles};
use skillyard_catalog::CatalogSkill;
use skillyard_catalog::resource::{SkillRoot, digest};
use skillyard_format::Digest;
use skillyard_sandbox::{Access, Backend, Identity, Mount};
use tempfile::TempDir;

use crate::error::CommandError;
use crate::script::place::{Copy, SkillPlace};

/// Where a command runs.
pub(super) struct Place<'a> {
    /// The folder that it works in.
    pub(super) workspace: &'a Path,
    /// A folder for copies.
    pub(super) temporary: &'a Path,
    /// Who holds it.
    pub(super) backend: Backend,
    /// Who it is there, if not we.
    pub(super) identity: Option<Identity>,
}

/// What a command is shown of skills, as long as this lives.
#[derive(Default)]
pub(super) struct Shown {
    mounts: Vec<Mount>,
    copies: Vec<Copy>,
    empty: Option<TempDir>,
    /// What is not there for it and why, a line each.
    pub(super) left_out: Vec<String>,
}

impl Shown {
    /// What a command is shown of the active skills, and which of all skills it is not.
    pub(super) fn to_command(
        skills: &[CatalogSkill],
        active: &[SkillFiles],
        place: &Place<'_>,
        permission: impl Fn(&CatalogSkill, Option<&Digest>) -> Permission,
    ) -> Result<Self, CommandError> {
        let mut shown = Self::default();
        for files in active {
            let found = skills.iter().find(|each| *each.record.name == files.skill);
            let Some(skill) = found else { continue };
            if files.folder.starts_with(place.workspace) {
                continue;
            }
            match permission(skill, Some(&files.digest)) {
                Permission::Blocked { reason } => shown.leave_out(&files.skill, &reason),
                Permission::Run | Permission::Ask { .. } => shown.show(skill, files, place)?,
            }
        }
        // Nothing is hidden where a program finds files in their own place alone.
        if place.backend == Backend::Bubblewrap {
            let blocked = |skill: &CatalogSkill| blocked(skill, &permission);
            shown.hide(skills, place, blocked)?;
        }
        Ok(shown)
    }

    /// What it takes to show them.
    pub(super) fn mounts(&self) -> impl Iterator<Item = Mount> {
        self.mounts.iter().cloned()
    }

    fn leave_out(&mut self, skill: &str, reason: &str) {
        let line = format!("the files of `{skill}` are not there for commands: {reason}");
        self.left_out.push(line);
    }

    fn show(
        &mut self,
        skill: &CatalogSkill,
        files: &SkillFiles,
        place: &Place<'_>,
    ) -> Result<(), CommandError> {
        let copy = Copy::make(&SkillPlace::of(skill), place.temporary, place.identity)?;
        if copy.digest() != files.digest {
            let reason = "it has changed since it was loaded; load it again";
            self.leave_out(&files.skill, reason);
            return Ok(());
        }
        let shown = Mount {
            source: copy.folder(),
            target: files.folder.clone(),
            access: Access::Read,
        };
        let is_around = place.workspace.starts_with(&files.folder);
        self.mounts.push(
            if is_around || place.backend.place(&shown) != shown.target {
                // The copy would be elsewhere than the instructions say, or without the workspace.
                Mount::new(&files.folder, Access::Read)
            } else {
                self.copies.push(copy);
                shown
            },
        );
        Ok(())
    }

    /// Puts an empty folder into the place of each blocked skill in the workspace.
    fn hide(
        &mut self,
        skills: &[CatalogSkill],
        place: &Place<'_>,
        blocked: impl Fn(&CatalogSkill) -> Option<String>,
    ) -> Result<(), CommandError> {
        let inside = skills.iter().filter_map(|skill| {
            let folder = skill.record.folder.canonicalize().ok()?;
            let is_inside = folder.starts_with(place.workspace) && folder != place.workspace;
            is_inside.then_some((folder, skill))
        });
        let mut inside: Vec<(PathBuf, &CatalogSkill)> = inside.collect();
        inside.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut hidden: Option<PathBuf> = None;
        for (folder, skill) in inside {
            if hidden.as_ref().is_some_and(|each| folder.starts_with(each)) {
                continue;
            }
            let Some(reason) = blocked(skill) else {
                continue;
            };
            self.leave_out(&skill.record.name, &reason);
            let source = self.empty(place.temporary)?;
            self.mounts.push(Mount {
                source,
                target: folder.clone(),
                access: Access::Read,
            });
            hidden = Some(folder);
        }
        Ok(())
    }

    fn empty(&mut self, temporary: &Path) -> Result<PathBuf, CommandError> {
        if let Some(folder) = &self.empty {
            return Ok(folder.path().to_owned());
        }
        let made = tempfile::Builder::new()
            .prefix("skillyard-")
            .permissions(fs::Permissions::from_mode(0o755))
            .tempdir_in(temporary);
        let made = made.map_err(|source| CommandError::Write {
            path: temporary.to_owned(),
            source,
        })?;
        let path = made.path().to_owned();
        self.empty = Some(made);
        Ok(path)
    }
}

/// Why the scripts of a skill are blocked, if they are. Its files are only looked at where an
/// approval of exactly them could make it otherwise.
fn blocked(
    skill: &CatalogSkill,
    permission: impl Fn(&CatalogSkill, Option<&Digest>) -> Permission,
) -> Option<String> {
    let Permission::Blocked { reason } = permission(skill, None) else {
        return None;
    };
    let now = SkillRoot::open(&skill.record.folder).and_then(|root| digest(&root));
    match now.map(|now| permission(skill, Some(&now))) {
        Ok(Permission::Run | Permission::Ask { .. }) => None,
        _ => Some(reason),
    }
}

//! The files of skills that a command in the workspace sees.
//!
//! A command can start whatever it can read. So it sees a copy of exactly what was loaded of each
//! active skill whose scripts may run, and of one whose scripts are blocked nothing, also where
//! it lies in the workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use skillyard_agent::host::{Permission, SkillFiles};
use skillyard_agent::script::{Copy, Scratch, ScriptError, shown_at};
use skillyard_catalog::CatalogSkill;
use skillyard_catalog::resource::{SkillRoot, digest};
use skillyard_catalog::source::SourceKind;
use skillyard_format::Digest;
use skillyard_sandbox::{Backend, Mount, MountAccess, UserIds};

use super::lying::Lying;
use crate::agent::Caches;
use crate::error::CommandError;
use crate::script::place::{self as script_place, SkillPlace};

/// Most skills that one line names.
const MAX_NAMED: usize = 3;

/// A skill by its name, its source and its folder.
pub(super) type SkillQuery<'a> = (&'a str, Option<SourceKind>, &'a Path);

/// Where a command runs.
pub(super) struct RunPlace<'a> {
    /// The folder that it works in.
    pub(super) workspace: &'a Path,
    /// A folder for copies.
    pub(super) temporary: &'a Path,
    /// Who holds it.
    pub(super) backend: Backend,
    /// Who it is there, if not we.
    pub(super) identity: Option<UserIds>,
}

/// What a command is shown of skills, as long as this lives.
#[derive(Default)]
pub(super) struct VisibleSkills {
    mounts: Vec<Mount>,
    copies: Vec<Copy>,
    empty: Option<Scratch>,
    /// Whether caches of Python may be left in them.
    pub(super) has_caches: bool,
    /// What is not there for it and why, a line each.
    pub(super) left_out: Vec<String>,
}

impl VisibleSkills {
    /// What a command is shown of the active skills, and which of those that lie near it is not.
    pub(super) fn to_command(
        skills: &[CatalogSkill],
        active: &[SkillFiles],
        lying: &[Lying],
        place: &RunPlace<'_>,
        permission: impl Fn(SkillQuery<'_>, Option<&Digest>) -> Permission,
    ) -> Result<Self, CommandError> {
        let blocked = |skill: &Lying| blocked(skill, &permission);
        refuse_inside(lying, place.workspace, blocked)?;
        let mut shown = Self::default();
        for files in active {
            let found = skills.iter().find(|each| *each.record.name == files.skill);
            let Some(skill) = found else { continue };
            let at = shown_at(&files.folder, Some(place.workspace));
            if at.starts_with(place.workspace) {
                continue;
            }
            let record = &skill.record;
            let asked = (&*record.name, Some(skill.kind), &*record.folder);
            match permission(asked, Some(&files.digest)) {
                Permission::Blocked { reason } => shown.leave_out(&files.skill, &reason),
                Permission::Run | Permission::Ask { .. } => shown.show(skill, files, at, place)?,
            }
        }
        // Nothing is hidden where a program finds files in their own place alone.
        if place.backend == Backend::Bubblewrap {
            shown.hide(lying, place, blocked)?;
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
        at: PathBuf,
        place: &RunPlace<'_>,
    ) -> Result<(), CommandError> {
        let copy = script_place::copy(&SkillPlace::of(skill), place.temporary, place.identity)?;
        if copy.digest() != files.digest {
            let reason = "it has changed since it was loaded; load it again";
            self.leave_out(&files.skill, reason);
            return Ok(());
        }
        let is_around = place.workspace.starts_with(&at);
        let shown = Mount {
            source: copy.folder(),
            target: at,
            access: MountAccess::Read,
        };
        self.mounts.push(
            if is_around || place.backend.place(&shown) != shown.target {
                // The copy would be elsewhere than the instructions say, or without the workspace.
                Mount::new(&shown.target, MountAccess::Read)
            } else {
                self.copies.push(copy);
                shown
            },
        );
        Ok(())
    }

    /// Puts an empty folder into the place of each blocked skill in the workspace, and of the caches in
    /// the others.
    fn hide(
        &mut self,
        lying: &[Lying],
        place: &RunPlace<'_>,
        blocked: impl Fn(&Lying) -> Option<String>,
    ) -> Result<(), CommandError> {
        let inside = lying.iter().filter(|skill| {
            skill.folder.starts_with(place.workspace) && skill.folder != place.workspace
        });
        let mut hidden: Option<&Path> = None;
        let mut why: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for skill in inside {
            if hidden.is_some_and(|each| skill.folder.starts_with(each)) {
                continue;
            }
            let Some(reason) = blocked(skill) else {
                self.hide_caches(skill, place)?;
                continue;
            };
            why.entry(reason).or_default().insert(&skill.name);
            let source = self.empty(place.temporary)?;
            self.mounts.push(Mount {
                source,
                target: skill.folder.clone(),
                access: MountAccess::Read,
            });
            hidden = Some(&skill.folder);
        }
        for (reason, names) in why {
            let named: Vec<&str> = names.iter().copied().take(MAX_NAMED).collect();
            let mut text = named.join("`, `");
            if names.len() > MAX_NAMED {
                let _ = write!(text, "` and of {} more", names.len() - MAX_NAMED);
                let line = format!("the files of `{text} are not there for commands: {reason}");
                self.left_out.push(line);
            } else {
                self.leave_out(&text, &reason);
            }
        }
        Ok(())
    }

    /// Puts an empty folder into the place of what Python would load instead of a skill's files.
    fn hide_caches(&mut self, skill: &Lying, place: &RunPlace<'_>) -> Result<(), CommandError> {
        let caches = Caches::of(&skill.folder);
        self.has_caches |= caches.may_be_more;
        for target in caches.folders {
            let source = self.empty(place.temporary)?;
            let access = MountAccess::Read;
            self.mounts.push(Mount {
                source,
                target,
                access,
            });
        }
        Ok(())
    }

    fn empty(&mut self, temporary: &Path) -> Result<PathBuf, CommandError> {
        if let Some(folder) = &self.empty {
            return Ok(folder.path().to_owned());
        }
        let made = Scratch::make(temporary, 0o755).map_err(|source| CommandError::Write {
            path: temporary.to_owned(),
            source,
        })?;
        let path = made.path().to_owned();
        self.empty = Some(made);
        Ok(path)
    }
}

/// Refuses a workspace that is a blocked skill, or part of one.
fn refuse_inside(
    lying: &[Lying],
    workspace: &Path,
    blocked: impl Fn(&Lying) -> Option<String>,
) -> Result<(), CommandError> {
    let mut around = lying
        .iter()
        .filter(|skill| workspace.starts_with(&skill.folder));
    let found = around.find_map(|skill| Some((&skill.name, blocked(skill)?)));
    let Some((name, reason)) = found else {
        return Ok(());
    };
    let path = workspace.to_owned();
    let reason = format!("it belongs to the skill `{name}`, whose scripts are blocked: {reason}");
    Err(ScriptError::Workspace { path, reason }.into())
}

/// Why the scripts of a skill are blocked, if they are. Its files are only looked at where an
/// approval of exactly them could make it otherwise.
fn blocked(
    skill: &Lying,
    permission: impl Fn(SkillQuery<'_>, Option<&Digest>) -> Permission,
) -> Option<String> {
    let asked = (skill.name.as_str(), skill.kind, skill.folder.as_path());
    let Permission::Blocked { reason } = permission(asked, None) else {
        return None;
    };
    let now = SkillRoot::open(&skill.folder).and_then(|root| digest(&root));
    match now.map(|now| permission(asked, Some(&now))) {
        Ok(Permission::Run | Permission::Ask { .. }) => None,
        _ => Some(reason),
    }
}

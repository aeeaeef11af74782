//! What keeps a skill that is here from being used, and what the user can do about it.
//!
//! `explain skill` tells it of one skill; a chat tells it when somebody names one.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use skillyard_agent::shelf::Withheld;
use skillyard_catalog::walk::Skipped;
use skillyard_catalog::{Catalog, CatalogSkill, Status};

use crate::error::UNHASHABLE_REMEDY;
use crate::library::permission::Permissions;
use crate::text::shell::shell_word;

/// What the user can do about a skill whose lock cannot be read.
pub(crate) const HELD_BACK_REMEDY: &str = "Mend the lock, or take it from where you have a copy; `skillyard doctor` says more in its project";

/// What keeps a skill of the catalog out of prompts, if anything does.
pub(crate) fn of(skill: &CatalogSkill, permissions: &Permissions) -> Option<Withheld> {
    let name = &skill.record.name;
    Some(Withheld {
        reason: skill.status.reason()?,
        detail: None,
        remedy: match &skill.status {
            Status::Enabled => None,
            // The reason says what to do.
            Status::Revoked { .. } if permissions.is_unknown() => None,
            Status::Revoked { .. } => Some(permissions.revoked_remedy(name, &skill.record.folder)),
            Status::Untrusted => Some(permissions.trust_remedy(&skill.record.folder)),
            Status::Disabled { .. } if permissions.unreadable(&skill.record.folder).is_some() => {
                Some("`skillyard doctor` says what to do about that file".into())
            }
            Status::Disabled { .. }
                if permissions.is_unknown() && !permissions.is_switched_off(name) =>
            {
                None
            }
            Status::Disabled { .. } => Some(permissions.disabled_remedy(name)),
            Status::Unavailable { missing } => Some(format!(
                "Install `{}`, so that it is in a folder of `PATH`",
                missing.join("`, `").replace('|', "` or `")
            )),
            Status::HeldBack { .. } => Some(HELD_BACK_REMEDY.to_owned()),
            Status::Unhashable { .. } => Some(UNHASHABLE_REMEDY.to_owned()),
            Status::Altered => Some(permissions.remedy(name, &skill.record.folder)),
        },
    })
}

/// What keeps skills out of prompts, by their names; where another stands in for one, nothing does.
pub(crate) fn all(catalog: &Catalog, permissions: &Permissions) -> BTreeMap<String, Withheld> {
    let mut all = BTreeMap::new();
    for skipped in &catalog.skipped {
        if let Some(name) = folder_name(&skipped.path) {
            all.insert(name.to_owned(), unloadable(name, skipped));
        }
    }
    for skill in &catalog.skills {
        let name = skill.record.name.clone();
        match of(skill, permissions) {
            Some(why) => all.insert(name, why),
            None => all.remove(&name),
        };
    }
    for loser in &catalog.shadowed {
        if let Some(why) = all.get_mut(&*loser.skill.record.name) {
            why.detail = Some("it shadows another skill of its name".into());
        }
    }
    all
}

/// What keeps a skill from a session that has others.
pub(crate) fn left_out() -> Withheld {
    Withheld {
        reason: "it is not among the skills of this session".into(),
        detail: None,
        remedy: Some(
            "Begin a new session; an agent is given more skills with `skillyard agent skill add`"
                .into(),
        ),
    }
}

/// What was passed over that has to do with a name.
pub(crate) fn passed_over<'a>(catalog: &'a Catalog, name: &str) -> Vec<&'a Skipped> {
    let is_about = |skipped: &&Skipped| {
        let mut parts = skipped.path.components();
        parts.any(|part| part.as_os_str() == OsStr::new(name))
    };
    catalog.skipped.iter().filter(is_about).collect()
}

fn unloadable(name: &str, skipped: &Skipped) -> Withheld {
    Withheld {
        reason: "its folder was passed over".into(),
        detail: Some(format!("{}: {}", skipped.path.display(), skipped.reason)),
        remedy: Some(format!(
            "Mend what `skillyard explain skill {}` and `skillyard validate` tell of it",
            shell_word(name)
        )),
    }
}

/// The name that a skill in a folder has, if what was passed over is one.
fn folder_name(path: &Path) -> Option<&str> {
    let is_skill_file = path
        .file_name()
        .is_some_and(|file| file.eq_ignore_ascii_case("SKILL.md"));
    let folder = if is_skill_file { path.parent()? } else { path };
    folder.file_name()?.to_str()
}

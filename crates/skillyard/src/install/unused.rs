//! Skills that were installed and will not be used, and why: who installs something wants it used.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::PathBuf;

use serde_json::{Value, json};
use skillyard_catalog::{Catalog, CatalogSkill, Status};
use skillyard_install::plan::{Plan, SkillChange};

use super::check::Checked;
use super::prepared::Prepared;
use crate::context::Context;
use crate::error::CommandError;
use crate::install::visibility_check::are_used;
use crate::library;
use crate::library::{IndexMode, NameFilter};
use crate::scope::{ScopeContext, whole};
use crate::text::sanitize::visible;
use crate::text::tilde;

/// A skill that was installed and will not be used.
pub(crate) struct Unused {
    name: String,
    reason: String,
}

impl Unused {
    /// Those of what was just installed, or was asked for and is there already. That a project is
    /// not trusted is told for all of it.
    pub(crate) fn of(
        context: &Context,
        place: &ScopeContext,
        prepared: &Prepared,
        checked: &[Checked<'_>],
        plan: &Plan,
    ) -> Result<Vec<Self>, CommandError> {
        let new = plan.changes.iter().filter_map(|change| match change {
            SkillChange::Added { to }
            | SkillChange::Changed { to, .. }
            | SkillChange::Restored { to } => Some(&**to),
            SkillChange::Repaired { .. } | SkillChange::Removed { .. } => None,
        });
        let asked = prepared.asked();
        let asked: HashSet<&String> = asked.iter().collect();
        let unchanged: HashSet<&String> = plan.unchanged.iter().collect();
        let is_there = |name| unchanged.contains(name) && asked.contains(name);
        let present = prepared.wish.present.iter();
        let new: Vec<_> = new
            .chain(present.filter(|entry| is_there(&entry.name)))
            .collect();
        if new.is_empty() || are_used(context, place, &new, checked)? {
            return Ok(Vec::new());
        }
        let catalog = library::discover(context, IndexMode::Look, &NameFilter::default())?;
        // Many may have been installed, and mostly each is the one of its name.
        let mut by_folder: HashMap<&OsStr, Vec<&CatalogSkill>> = HashMap::new();
        for skill in &catalog.skills {
            if let Some(name) = skill.record.folder.file_name() {
                by_folder.entry(name).or_default().push(skill);
            }
        }
        let unused = new.into_iter().filter_map(|entry| {
            let targets = entry.targets.iter();
            let targets = targets.map(|target| place.scope.target(target).join(&entry.name));
            let look = Look {
                context,
                place,
                catalog: &catalog,
                winners: by_folder
                    .get(OsStr::new(&entry.name))
                    .map_or(&[], Vec::as_slice),
                folders: targets.collect(),
            };
            let reason = look.reason(&entry.name)?;
            let name = entry.name.clone();
            Some(Self { name, reason })
        });
        let unused = unused.collect();
        drop(by_folder);
        Ok(unused)
    }

    /// One line for people.
    pub(crate) fn line(&self) -> String {
        let Self { name, reason } = self;
        visible(&format!("`{name}` will not be used: {reason}")).into_owned()
    }

    /// The same for programs.
    pub(crate) fn json(&self) -> Value {
        json!({ "name": self.name, "reason": self.reason })
    }
}

struct Look<'a> {
    context: &'a Context,
    place: &'a ScopeContext,
    catalog: &'a Catalog,
    /// The skills that have their names and lie in folders of this name.
    winners: &'a [&'a CatalogSkill],
    /// Where the skill was put.
    folders: Vec<PathBuf>,
}

impl Look<'_> {
    fn reason(&self, name: &str) -> Option<String> {
        let catalog = self.catalog;
        if let Some(found) = self.winners.iter().find(|skill| self.is_it(skill)) {
            let reason = found.status.reason();
            return reason.filter(|_| found.status != Status::Untrusted);
        }
        // It may stand in for one of a project that is not trusted.
        if catalog.enabled().any(|skill| self.is_it(skill)) {
            return None;
        }
        let mut shadowed = catalog.shadowed.iter();
        if let Some(loser) = shadowed.find(|loser| self.is_it(&loser.skill)) {
            let mut winners = catalog.skills.iter();
            let winner = winners.find(|skill| skill.record.folder == loser.winner);
            let kind = winner.map_or("", |skill| skill.kind.as_str());
            let home = self.context.environment.home.as_deref();
            let winner = tilde(&loser.winner, home);
            return Some(format!("the one at {winner} (source {kind}) comes first"));
        }
        let is_inside = |path: &PathBuf| self.folders.iter().any(|each| path.starts_with(each));
        let mut skipped = catalog.skipped.iter();
        if let Some(skipped) = skipped.find(|skipped| is_inside(&skipped.path)) {
            return Some(skipped.reason.clone());
        }
        // The same skill from elsewhere is as good.
        if catalog.find(name).is_some() {
            return None;
        }
        Some(format!(
            "`discovery.precedence` is `{}`, which does not read its folder",
            self.place.preset
        ))
    }

    /// Whether a skill of the catalog is what was just installed.
    fn is_it(&self, skill: &CatalogSkill) -> bool {
        let found = &skill.record.folder;
        self.folders.iter().any(|folder| {
            folder.file_name() == found.file_name()
                && (folder == found || whole(folder) == whole(found))
        })
    }
}

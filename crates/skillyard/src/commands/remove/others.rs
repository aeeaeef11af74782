//! What goes with `remove` though nobody installed it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use skillyard_install::lockfile::Lockfile;
use skillyard_install::plan::InstalledState;

use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::written;
use crate::install::written::UnmanagedSkill;
use crate::library;
use crate::library::{IndexMode, NameFilter};
use crate::scope::ScopeContext;

/// What was never installed.
pub(super) struct Others {
    /// Skills that were written here.
    pub(super) written: Vec<UnmanagedSkill>,
    /// Skills that only `skills.toml` names.
    pub(super) wished: Vec<String>,
    /// Links of other tools to what was installed and goes.
    pub(super) links: Vec<(String, PathBuf)>,
    /// Other skills that are called like what goes.
    pub(super) stays: Vec<(String, PathBuf)>,
    /// What was installed into folders that no variable names any more, and stays there, too.
    pub(super) left: Vec<(String, PathBuf)>,
}

impl Others {
    /// Sorts the names of what is not installed; what is none of this is an error.
    pub(super) fn among(
        context: &Context,
        place: &ScopeContext,
        lock: &Lockfile,
        names: Vec<String>,
        force: bool,
    ) -> Result<Self, CommandError> {
        let manifest = place.manifest()?;
        let manifest = manifest.as_ref();
        let (mut written, mut wished) = (Vec::new(), Vec::new());
        for name in names {
            let is_wished = manifest.is_some_and(|each| each.get(&name).is_some());
            if is_wished && !wished.contains(&name) {
                wished.push(name.clone());
            }
            // What is only wished for is not what was written here, unless both are to go.
            if is_wished && !force {
                continue;
            }
            match written::find(context, place, &name)? {
                Some(found) if force => written.push(found),
                Some(found) => {
                    let folders = found.folders;
                    return Err(InstallFailure::Written { name, folders }.into());
                }
                None if is_wished => {}
                None => return Err(InstallFailure::not_installed(lock, &name).into()),
            }
        }
        Ok(Self {
            written,
            wished,
            links: Vec::new(),
            stays: Vec::new(),
            left: Vec::new(),
        })
    }

    /// What goes, and what of it stays.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for UnmanagedSkill { name, folders, .. } in &self.written {
            lines.extend(folders.iter().map(|folder| line(name, folder)));
        }
        let wished = self.wished.iter();
        lines.extend(
            wished.map(|name| format!(" - {name}  only from skills.toml: it was not installed")),
        );
        lines.extend(self.stays.iter().map(|(name, folder)| {
            let folder = folder.display();
            format!("`{folder}` is another skill called `{name}`, and stays")
        }));
        lines
    }

    /// Looks for what is called like what goes: links that lead to it, and other skills.
    pub(super) fn look_around(
        &mut self,
        context: &Context,
        place: &ScopeContext,
        before: &InstalledState,
        names: &[String],
    ) -> Result<(), CommandError> {
        if names.is_empty() && self.written.is_empty() {
            return Ok(());
        }
        let catalog = library::load(context, IndexMode::Use, &NameFilter::default())?;
        for name in names {
            let places = places(place, before, name);
            for each in &places {
                let found = written::links_to(&catalog, &place.scope, each).into_iter();
                let found = found.filter(|link| !places.contains(link));
                self.links.extend(found.map(|link| (name.clone(), link)));
            }
            let left = left(place, before, name);
            let known = places.iter().chain(&left).cloned().collect::<Vec<_>>();
            let staying = written::staying(&catalog, name, &known).into_iter();
            self.stays
                .extend(staying.map(|folder| (name.clone(), folder)));
            let left = left.into_iter().map(|folder| (name.clone(), folder));
            self.left.extend(left);
        }
        self.links.dedup();
        for UnmanagedSkill { name, folders, .. } in &self.written {
            let staying = written::staying(&catalog, name, folders).into_iter();
            self.stays
                .extend(staying.map(|folder| (name.clone(), folder)));
        }
        Ok(())
    }

    /// Deletes what was written here, and the links that lead nowhere now.
    pub(super) fn delete(&mut self, context: &Context) -> Result<(), CommandError> {
        for UnmanagedSkill { name, folders, .. } in &self.written {
            for folder in folders {
                written::delete(context, name, folder)?;
            }
        }
        self.links
            .retain(|(_, link)| link.is_symlink() && !link.exists());
        for (name, link) in &self.links {
            written::delete(context, name, link)?;
        }
        Ok(())
    }
}

/// A folder that goes; of a link only the link does.
fn line(name: &str, folder: &Path) -> String {
    let shown = folder.display();
    match fs::read_link(folder) {
        Ok(to) => format!(" - {name}  {shown}, a link to `{}`", to.display()),
        Err(_) => format!(" - {name}  {shown}"),
    }
}

/// The folders that a skill was installed into.
fn places(place: &ScopeContext, before: &InstalledState, name: &str) -> Vec<PathBuf> {
    let entry = before.entry(name);
    let targets = entry.map_or(&[][..], |entry| &entry.targets);
    targets
        .iter()
        .map(|target| place.scope.target(target).join(name))
        .collect()
}

/// Where a skill was installed as long as variables said otherwise: there it is the same skill, and is
/// told as that.
fn left(place: &ScopeContext, before: &InstalledState, name: &str) -> BTreeSet<PathBuf> {
    let folders = place.scope.left_folders().into_iter();
    let recorded = folders.filter(|each| each.record.get(name).is_some());
    let recorded = recorded.map(|each| each.folder.join(name));
    // What was put there without a variable is written down with the next change only.
    let entries = before.entry(name).into_iter();
    let usual = entries.flat_map(|entry| {
        let targets = entry.targets.iter();
        let folders = targets.filter_map(|target| place.scope.usual(target));
        let folders = folders.map(|folder| folder.join(name));
        folders.filter(|folder| written::content_of(folder) == Some(entry.digest))
    });
    recorded.chain(usual).collect()
}

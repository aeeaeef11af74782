//! What of a folder is a skill's, and what only lies there.
//!
//! Archives leave out what machines and programs leave behind, so every other source does: the same
//! skill has the same digest wherever it comes from. A skill that is a project of its own also has
//! skills that were installed for working on it; they are not part of it. Nor is what git ignores in
//! a folder of this machine: no commit has it, and it may be anybody's secrets.

use std::path::Path;
use std::sync::Arc;

use rustix::fs::FileType;

use skillyard_catalog::modes;
use skillyard_format::package::archive::{is_junk, is_litter};

use super::reader::{self, REPOSITORY};
use super::{Ignored, Tree, TreeError, TreeFile, TreeLimits, Unasked};
use crate::target::is_target;

/// The files that make a folder a project.
const PROJECT: [&str; 2] = ["skills.toml", "skills.lock"];

/// Whether a folder is a project.
fn is_project(folder: &Path) -> bool {
    PROJECT.iter().any(|name| folder.join(name).exists())
}

/// Whether a file or folder of a skill is left out; the folders above it are asked about first.
fn is_undelivered(path: &str, is_project: impl FnOnce() -> bool) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    // A plain `skills` is an agent's, too, but more likely the author's.
    let may_be_target = path.starts_with('.') && path.ends_with("/skills");
    is_junk(name) || PROJECT.contains(&path) || (may_be_target && is_target(path) && is_project())
}

/// What of a folder is not delivered: the one notion of those who install, sign, publish and export.
#[derive(Debug)]
pub struct Undelivered<'a> {
    folder: &'a Path,
    ignored: Ignored,
}

impl<'a> Undelivered<'a> {
    /// By what lies in a folder, and by what git ignores there.
    pub fn of(folder: &'a Path, ignored: Ignored) -> Self {
        Self { folder, ignored }
    }

    /// Whether a file or folder is left out; the folders above it are asked about first.
    pub fn has(&self, path: &str) -> bool {
        self.is_never_delivered(path) || self.ignored.has(path)
    }

    /// Whether it is, whatever git says of it.
    fn is_never_delivered(&self, path: &str) -> bool {
        is_undelivered(path, || is_project(self.folder))
    }
}

/// Trees are the same where their files are, whatever lay around them.
impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        self.files == other.files
    }
}

impl Eq for Tree {}

impl Tree {
    /// Reads what a folder delivers as a source, following no link, without what git ignores there.
    pub fn read_delivered(
        folder: &Path,
        limits: &TreeLimits,
        ignored: Ignored,
    ) -> Result<Self, TreeError> {
        let unasked = ignored.unasked().cloned();
        let undelivered = Undelivered::of(folder, ignored);
        let (mut left_out, mut ignored) = (Vec::new(), Vec::new());
        let mut holds_repository = false;
        let files = reader::read(folder, limits, |path, kind| {
            if path.rsplit('/').next() == Some(REPOSITORY) {
                holds_repository |= path != REPOSITORY;
                return true;
            }
            let is_out = undelivered.has(path);
            if is_out {
                let end = if kind == FileType::Directory { "/" } else { "" };
                let named = format!("{path}{end}");
                if !undelivered.is_never_delivered(path) {
                    ignored.push(named.clone());
                }
                left_out.push(named);
            }
            is_out
        })?;
        ignored.sort_unstable();
        Ok(Self {
            ignored,
            unasked,
            holds_repository,
            ..Self::new(files)?.beside(left_out)
        })
    }

    /// Whether there was a repository in the folder that is not its own.
    pub(crate) fn holds_repository(&self) -> bool {
        self.holds_repository
    }

    /// Why git could not be asked what it ignores, if so.
    pub fn unasked(&self) -> Option<&Arc<Unasked>> {
        self.unasked.as_ref()
    }

    /// What a source delivers of it.
    #[must_use]
    pub fn delivered(mut self) -> Self {
        let is_project = self.get(PROJECT[0]).is_some() || self.get(PROJECT[1]).is_some();
        let mut left_out = std::mem::take(&mut self.left_out);
        let tree = self.without(|file| {
            let path = file.path.as_str();
            let ends = path.match_indices('/').map(|(at, _)| at);
            let mut ends = ends.chain([path.len()]);
            let Some(end) = ends.find(|end| is_undelivered(&path[..*end], || is_project)) else {
                return false;
            };
            // The files of a folder stand behind each other, and it is named once.
            let top = path.get(..=end).unwrap_or(path);
            if left_out.last().is_none_or(|last| last != top) {
                left_out.push(top.to_owned());
            }
            true
        });
        tree.beside(left_out)
    }

    /// What lay with the files of the skill where they came from, and is none of its: sorted, the
    /// topmost folder for all in it, with a `/` at its end.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// What of that is left out only because git ignores it.
    pub fn ignored(&self) -> &[String] {
        &self.ignored
    }

    /// The same with what lay beside another.
    pub(crate) fn beside_as(self, other: &Self) -> Self {
        Self {
            ignored: other.ignored.clone(),
            ..self.beside(other.left_out.clone())
        }
    }

    /// The same with what lay beside it.
    pub(crate) fn beside(mut self, mut left_out: Vec<String>) -> Self {
        left_out.sort_unstable();
        self.left_out = left_out;
        self
    }

    /// The same without what programs leave behind that only use the skill.
    #[must_use]
    pub fn tidied(self) -> Self {
        self.without(|file| is_litter(&file.path, file.executable))
    }

    /// The same of what lies in a folder: where all files look executable, that they do says nothing.
    pub(crate) fn tidied_in(self, folder: &Path) -> Self {
        self.without(|file| {
            is_litter(&file.path, false) && !(file.executable && modes::are_kept(folder))
        })
    }

    fn without(mut self, mut is_gone: impl FnMut(&TreeFile) -> bool) -> Self {
        let before = self.files.len();
        self.files.retain(|file| !is_gone(file));
        if self.files.len() < before {
            self.digest = super::digest(&self.files);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(paths: &[&str]) -> Tree {
        let file = |path: &&str| TreeFile {
            path: (*path).into(),
            executable: false,
            bytes: path.as_bytes().to_vec(),
        };
        Tree::new(paths.iter().map(file).collect()).unwrap()
    }

    #[test]
    fn a_source_delivers_what_an_archive_would() {
        let whole = tree(&["SKILL.md", "scripts/a.py"]);
        let lying_there = [
            "SKILL.md",
            "scripts/a.py",
            "scripts/__pycache__/a.cpython-312.pyc",
            "scripts/.DS_Store",
            "node_modules/x/index.js",
        ];
        let delivered = tree(&lying_there).delivered();
        assert_eq!(delivered, whole);
        let names = ["node_modules/", "scripts/.DS_Store", "scripts/__pycache__/"];
        assert_eq!(delivered.left_out(), names);
        let used = &lying_there[..4];
        assert_eq!(tree(used).tidied(), whole);
        assert_ne!(tree(&lying_there).tidied(), whole);
        // What could be run is no litter, whatever it is called.
        for added in ["scripts/b.pyc", "__MACOSX/run.sh", "__pycache__/run.sh"] {
            let more = tree(&["SKILL.md", "scripts/a.py", added]);
            assert_eq!(more.clone().tidied(), more);
            assert_eq!(more.delivered(), whole);
        }
    }

    #[test]
    fn what_is_installed_in_a_skill_is_no_part_of_it() {
        let installed = ".agents/skills/x/SKILL.md";
        let project = ["SKILL.md", "skills.toml", "skills.lock", installed];
        assert_eq!(tree(&project).delivered(), tree(&["SKILL.md"]));
        // Elsewhere such files are what the author put there.
        let template = tree(&["SKILL.md", "assets/skills.toml", installed]);
        assert_eq!(template.clone().delivered(), template);
    }
}

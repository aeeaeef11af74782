//! Skills in a folder of this machine.

use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use skillyard_catalog::regular_file;
use skillyard_catalog::walk::{
    Extent, Links, NO_TEXT, SkillWalk, UNREADABLE, WalkLimits, WalkScope,
};
use skillyard_format::skill::is_spelled;

use crate::candidate::{Candidate, CandidateSource};
use crate::git::Ignoring;
use crate::material::{Declined, Material, MaterialError, SkillOffer, SkillOffers};
use crate::origin::{Origin, OriginKind};
use crate::source_path::last_part;
use crate::tree::{Ignored, Tree, TreeError, TreeLimits};

/// A folder that is a skill or holds some.
#[derive(Debug)]
pub struct LocalFolder {
    root: PathBuf,
    origin: Origin,
    limits: TreeLimits,
    heeded: Heeded,
    /// What is ignored in the folder as a whole, where that was asked before.
    told: Option<Ignored>,
}

/// Who is asked what is ignored in a folder.
#[derive(Debug)]
enum Heeded {
    /// Nobody: all of it is meant.
    Nobody,
    /// The git of this machine.
    Git(Ignoring),
}

impl LocalFolder {
    /// The folder at `root`.
    pub fn new(root: &Path, limits: TreeLimits) -> Self {
        Self {
            root: root.to_owned(),
            origin: Origin {
                kind: OriginKind::LocalFolder,
                url: root.display().to_string(),
                commit: None,
                version: None,
            },
            limits,
            heeded: Heeded::Nobody,
            told: None,
        }
    }

    /// The same without what git ignores there; [`Tree::unasked`] says if git could not be asked.
    #[must_use]
    pub fn heeding(self, ignoring: Ignoring) -> Self {
        Self {
            heeded: Heeded::Git(ignoring),
            ..self
        }
    }

    /// The same where git was asked before, about many folders at once.
    #[must_use]
    pub fn told(self, ignored: Option<Ignored>) -> Self {
        Self {
            told: ignored,
            ..self
        }
    }

    /// A folder in the quarantine, with files that came from elsewhere.
    pub fn from_elsewhere(root: &Path, origin: Origin, limits: TreeLimits) -> Self {
        Self {
            origin,
            ..Self::new(root, limits)
        }
    }
}

/// What a folder holds, ready to be installed.
#[derive(Debug, Default)]
pub struct LocalSkills {
    /// The skills, with all their bytes.
    pub skills: Vec<Candidate>,
    /// What could be a skill and is none, with the reason.
    pub declined: Vec<Declined>,
}

impl LocalFolder {
    /// What git ignores in the folders of skills.
    fn ignored(&self, git: &Ignoring, paths: &[String], folders: &[PathBuf]) -> Vec<Ignored> {
        match (&self.told, paths) {
            (Some(told), [path]) if path.is_empty() => vec![told.clone()],
            _ => git.around(folders),
        }
    }

    /// Every skill in it; each is known by the whole path of its own folder afterwards, because
    /// `shop/pdf` alone would be a repository of GitHub.
    pub fn take(&mut self) -> Result<LocalSkills, MaterialError> {
        let SkillOffers {
            skills: offers,
            mut declined,
        } = self.offers("")?;
        let paths: Vec<String> = offers.iter().map(|offer| offer.path.clone()).collect();
        let mut skills = Vec::with_capacity(paths.len());
        let root = self.root.canonicalize();
        let root = root.map_err(|source| {
            let path = self.root.clone();
            MaterialError::new(TreeError::Read { path, source })
        })?;
        let trees = self.load(&paths)?;
        for (path, tree) in paths.into_iter().zip(trees) {
            let folder = below(&root, &path);
            let name = folder.file_name();
            let found = CandidateSource {
                source: folder.display().to_string(),
                requested: None,
                folder: name.and_then(|name| name.to_str()).map(str::to_owned),
                origin: self.origin.clone(),
                path: path.clone(),
            };
            match Candidate::new(tree, found) {
                Ok(skill) => skills.push(skill),
                Err(error) => declined.push(Declined {
                    path,
                    reason: error.to_string(),
                }),
            }
        }
        Ok(LocalSkills { skills, declined })
    }
}

/// A skill that cannot be taken as it is.
#[derive(Debug, thiserror::Error)]
#[error("cannot take the skill in `{}`", folder.display())]
struct Untakable {
    folder: PathBuf,
    source: TreeError,
}

impl Material for LocalFolder {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn offers(&mut self, below: &str) -> Result<SkillOffers, MaterialError> {
        let start = self::below(&self.root, below);
        refuse_closed(&start)?;
        let walk = SkillWalk {
            limits: WalkLimits {
                depth: 16,
                folders: 100_000,
            },
            links: Links::ToFiles,
            extent: Extent::Whole,
            scope: WalkScope::Usual,
        };
        let own_name = self.root.file_name().and_then(|name| name.to_str());
        let walked = walk.run(&start, |found| {
            let path = found
                .folder
                .strip_prefix(&self.root)
                .unwrap_or(found.folder);
            let path = path.to_str()?;
            if !is_spelled(found.file_name) {
                return Some(Err(Declined::misspelled(path, found.file_name)));
            }
            let folder = last_part(path).or(own_name);
            Some(SkillOffer::read(path, folder, found.bytes))
        });
        let mut offers = SkillOffers::default();
        for offer in walked.skills.into_iter().flatten() {
            offers.add(offer);
        }
        // What cannot be looked into may be a skill; nobody chose to leave it out.
        let unread = walked.skipped.iter();
        let unread =
            unread.filter(|each| each.reason.starts_with(UNREADABLE) || each.reason == NO_TEXT);
        offers.declined.extend(unread.map(|each| {
            let path = each.path.strip_prefix(&self.root).unwrap_or(&each.path);
            let folder = if path.ends_with("SKILL.md") {
                path.parent().unwrap_or(path)
            } else {
                path
            };
            Declined {
                path: folder.to_string_lossy().into_owned(),
                reason: each.reason.clone(),
            }
        }));
        offers.sort();
        Ok(offers)
    }

    fn load(&mut self, paths: &[String]) -> Result<Vec<Tree>, MaterialError> {
        let folders = paths.iter().map(|path| below(&self.root, path));
        let folders: Vec<PathBuf> = folders.collect();
        let (git, ignored) = match &self.heeded {
            Heeded::Git(git) => (Some(git), self.ignored(git, paths, &folders)),
            Heeded::Nobody => (None, vec![Ignored::default(); folders.len()]),
        };
        let read = |folder: &Path, ignored| Tree::read_delivered(folder, &self.limits, ignored);
        let load = |(folder, ignored): (PathBuf, Ignored)| {
            let mut tree = read(&folder, ignored);
            // Only a repository in a skill knows what it ignores, which may also be too much to be read.
            if let Some(git) = git
                && tree.as_ref().map_or(true, Tree::holds_repository)
            {
                let ignored = git.in_folders(&[&folder]).pop();
                tree = read(&folder, ignored.unwrap_or_default());
            }
            tree.map_err(|source| Untakable { folder, source })
        };
        let folders = folders.into_par_iter().zip(ignored);
        let trees: Result<Vec<Tree>, _> = folders.map(load).collect();
        trees.map_err(MaterialError::new)
    }
}

/// Refuses a folder that is not there, and one that is closed to the user: nobody can tell whether a
/// skill is in it.
fn refuse_closed(folder: &Path) -> Result<(), MaterialError> {
    let refused = |path: PathBuf, source| MaterialError::new(TreeError::Read { path, source });
    let failed = |source| refused(folder.to_owned(), source);
    if std::fs::metadata(folder).map_err(failed)?.is_dir() {
        std::fs::read_dir(folder).map_err(failed)?;
    }
    let skill = folder.join("SKILL.md");
    match regular_file::open(&skill, regular_file::Links::Followed) {
        Err(source) if source.kind() == io::ErrorKind::PermissionDenied => {
            Err(refused(skill, source))
        }
        _ => Ok(()),
    }
}

/// A folder in a folder; the folder itself where nothing is named.
fn below(folder: &Path, path: &str) -> PathBuf {
    match path {
        "" => folder.to_owned(),
        path => folder.join(path),
    }
}

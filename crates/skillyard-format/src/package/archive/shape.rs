//! Whether the files of an archive lie as those of a skill or of a repository do.

use super::error::ArchiveError;
use super::listing::{EntryKind, Listing};
use super::path::ArchivePath;
use crate::skill_file::is_spelled;

/// How the files lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// `SKILL.md` is at the archive's root.
    Flat,
    /// One folder holds `SKILL.md` and everything else.
    Folder {
        /// The folder's name, to be compared with the skill's.
        name: String,
    },
    /// One folder holds a repository.
    Repository {
        /// The folder's name.
        root: String,
    },
}

/// Why the files are not those of a skill or a repository; reads on from "the archive".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShapeProblem {
    /// Nothing at all.
    #[error("is empty")]
    Empty,
    /// No `SKILL.md` where one belongs.
    #[error("has no `SKILL.md` at its root or in its one folder")]
    NoSkillFile,
    /// The file is a `SKILL.md` only where case does not count.
    #[error("has a `{0}` in place of `SKILL.md`; rename it to `SKILL.md`")]
    Misspelled(String),
    /// `SKILL.md` is a folder.
    #[error("has a folder called `{0}` in place of the file")]
    SkillFileIsFolder(String),
    /// Two files that could be the skill's.
    #[error("has two skills in it: `{0}` and `{1}`")]
    TwoSkillFiles(String, String),
    /// Other things beside the skill's folder.
    #[error("has more than one thing at its root: `{0}` and `{1}`")]
    ManyRoots(String, String),
    /// A repository's archive has one folder and nothing beside it.
    #[error("has the file `{0}` beside the repository's folder")]
    FileAtRoot(String),
}

impl ShapeProblem {
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Empty => "shape-empty",
            Self::NoSkillFile => "shape-no-skill-file",
            Self::Misspelled(_) => "shape-skill-file-spelling",
            Self::SkillFileIsFolder(_) => "shape-skill-file-is-folder",
            Self::TwoSkillFiles(..) => "shape-two-skill-files",
            Self::ManyRoots(..) => "shape-many-roots",
            Self::FileAtRoot(_) => "shape-file-at-root",
        }
    }
}

impl Shape {
    /// `path` as it is inside the skill or repository.
    pub fn relative(&self, path: &ArchivePath) -> Option<ArchivePath> {
        match self {
            Self::Flat => Some(path.clone()),
            Self::Folder { name } | Self::Repository { root: name } => path.below(name),
        }
    }
}

impl Listing {
    /// The shape of an archive that is one skill.
    ///
    /// `skill.md` counts as `SKILL.md`; other spellings, which not every system takes for it, are
    /// refused. Below the skill's own folder there may be others (templates, examples); they are not skills. In a
    /// flat archive one folder down is already too close: tools disagree there.
    pub fn skill_shape(&self) -> Result<Shape, ArchiveError> {
        if self.entries.is_empty() {
            return Err(ShapeProblem::Empty.into());
        }
        let top: Vec<_> = self.skill_files(1).collect();
        let second: Vec<_> = self.skill_files(2).collect();
        match (top.as_slice(), second.as_slice()) {
            ([one, two, ..], _) | ([one], [two, ..]) | ([], [one, two, ..]) => {
                Err(ShapeProblem::TwoSkillFiles(one.to_string(), two.to_string()).into())
            }
            ([one], []) | ([], [one]) if !is_spelled(one.file_name()) => {
                Err(ShapeProblem::Misspelled(one.to_string()).into())
            }
            ([_], []) => Ok(Shape::Flat),
            ([], [one]) => {
                self.one_root()?;
                Ok(Shape::Folder {
                    name: one.root().to_owned(),
                })
            }
            ([], []) => Err(self.without_skill_file().into()),
        }
    }

    /// The shape of a repository's archive: one folder that holds everything.
    pub fn repository_shape(&self) -> Result<Shape, ArchiveError> {
        let root = self.one_root()?.to_owned();
        if let Some((path, ..)) = self.files().find(|(path, ..)| path.parent().is_none()) {
            return Err(ShapeProblem::FileAtRoot(path.to_string()).into());
        }
        Ok(Shape::Repository { root })
    }

    /// Files called `SKILL.md` with so many names in their path.
    fn skill_files(&self, depth: usize) -> impl Iterator<Item = &ArchivePath> {
        self.files().map(|(path, ..)| path).filter(move |path| {
            is_skill_file(path.file_name()) && path.components().count() == depth
        })
    }

    fn one_root(&self) -> Result<&str, ShapeProblem> {
        let mut roots = self.entries.iter().map(|entry| entry.path.root());
        let first = roots.next().ok_or(ShapeProblem::Empty)?;
        match roots.find(|root| *root != first) {
            Some(other) => Err(ShapeProblem::ManyRoots(first.to_owned(), other.to_owned())),
            None => Ok(first),
        }
    }

    fn without_skill_file(&self) -> ShapeProblem {
        for entry in &self.entries {
            let folders = match entry.kind {
                EntryKind::Folder => Some(entry.path.clone()),
                EntryKind::File { .. } => entry.path.parent(),
            };
            let folder = folders
                .as_ref()
                .and_then(|folder| folder.components().take(2).find(|name| is_skill_file(name)));
            if let Some(folder) = folder {
                return ShapeProblem::SkillFileIsFolder(folder.to_owned());
            }
        }
        ShapeProblem::NoSkillFile
    }
}

fn is_skill_file(name: &str) -> bool {
    name.eq_ignore_ascii_case("SKILL.md")
}

//! What the first pass found.

use crate::package::archive::ArchiveFormat;
use crate::package::archive::error::ArchiveError;
use crate::package::archive::error::EntryProblem;
use crate::package::archive::limits::Limits;
use crate::package::archive::path::ArchivePath;
use crate::skill::is_spelled;

/// Everything an archive holds, in its own order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArchiveListing {
    /// Files and folders that can be delivered.
    pub entries: Vec<ArchiveEntry>,
    /// What was left out or deserves a look.
    pub notes: Vec<ArchiveNote>,
    /// Entries left out because no skill may have them; only under `OnBlemish::Report`.
    pub blemishes: Vec<Blemish>,
}

/// A file or a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveEntry {
    /// Where it lies in the archive.
    pub path: ArchivePath,
    /// What it is.
    pub kind: EntryKind,
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File {
        /// Its size in bytes, as verified.
        size: u64,
        /// Whether its owner may execute it.
        mode: Mode,
    },
    /// A folder with an entry of its own. Others exist by the paths below them.
    Folder,
}

/// The one thing kept of a file's permissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// To be written as 0644.
    Plain,
    /// To be written as 0755.
    Executable,
}

/// Something worth telling about a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveNote {
    /// The file, or the topmost folder that the remark is about.
    pub path: ArchivePath,
    /// What.
    pub remark: Remark,
}

/// What is worth telling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remark {
    /// It is not delivered.
    Dropped(Junk),
    /// It is an archive itself, delivered as it is and never opened.
    NestedArchive,
    /// `.gitattributes` or `.gitmodules`, which act when the skill lies in a repository.
    GitSettings,
    /// `.env` and its like: it may hold the author's secrets.
    Secrets,
}

/// An entry that was left out, and the caller refuses the skill it lies in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blemish {
    /// The entry's name as text, with marks in place of bytes that are not UTF-8.
    pub name: String,
    /// What is wrong with it.
    pub problem: EntryProblem,
}

impl ArchiveListing {
    /// The files, with size and mode.
    pub fn files(&self) -> impl Iterator<Item = (&ArchivePath, u64, Mode)> {
        self.entries.iter().filter_map(|entry| match entry.kind {
            EntryKind::File { size, mode } => Some((&entry.path, size, mode)),
            EntryKind::Folder => None,
        })
    }

    /// Judges `folder` of a repository as a skill of its own: its limits, and no blemish in it.
    ///
    /// An empty `folder` is the whole archive.
    pub fn check_folder(&self, folder: &str, limits: &Limits) -> Result<(), ArchiveError> {
        for blemish in &self.blemishes {
            let other = match &blemish.problem {
                EntryProblem::Collision(other) => Some(other.as_str()),
                _ => None,
            };
            if lies_in(&blemish.name, folder) || other.is_some_and(|other| lies_in(other, folder)) {
                return Err(ArchiveError::entry(
                    blemish.name.as_bytes(),
                    blemish.problem.clone(),
                ));
            }
        }
        let (mut files, mut bytes) = (0, 0_u64);
        for (path, size, _) in self.files() {
            let Some(relative) = relative(path, folder) else {
                continue;
            };
            let refuse = |problem| ArchiveError::entry(path.as_str().as_bytes(), problem);
            limits.check_path(&relative).map_err(refuse)?;
            if size > limits.file_bytes {
                return Err(refuse(EntryProblem::FileTooLarge {
                    actual: size,
                    limit: limits.file_bytes,
                }));
            }
            files += 1;
            bytes = bytes.saturating_add(size);
            limits.check_counts(files, bytes)?;
        }
        Ok(())
    }
}

/// Notes that a path deserves by its name alone.
pub(crate) fn remark_on(path: &ArchivePath) -> Option<Remark> {
    match path.file_name() {
        ".gitattributes" | ".gitmodules" => Some(Remark::GitSettings),
        ".env.example" | ".env.sample" | ".env.template" => None,
        name if name == ".env" || name.starts_with(".env.") => Some(Remark::Secrets),
        _ => None,
    }
}

/// Whether a file that begins like this is an archive.
pub(crate) fn looks_nested(head: &[u8]) -> bool {
    const OTHERS: [&[u8]; 4] = [
        b"Rar!\x1a\x07",
        b"7z\xbc\xaf\x27\x1c",
        b"\xfd7zXZ\0",
        b"BZh",
    ];
    ArchiveFormat::of_head(head).is_some() || OTHERS.iter().any(|magic| head.starts_with(magic))
}

fn relative(path: &ArchivePath, folder: &str) -> Option<ArchivePath> {
    if folder.is_empty() {
        Some(path.clone())
    } else {
        path.below(folder)
    }
}

/// Names of blemished entries may be anything, so case is ignored: better one refusal too many.
fn lies_in(name: &str, folder: &str) -> bool {
    let (name, folder) = (name.to_lowercase(), folder.to_lowercase());
    folder.is_empty()
        || name
            .replace('\\', "/")
            .strip_prefix(&folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        // A link on the way to the folder would lead somewhere else.
        || folder.strip_prefix(&name).is_some_and(|rest| rest.starts_with('/'))
}

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

impl ArchiveListing {
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

/// Why a path is not delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Junk {
    /// `.git`, with hooks that would run.
    Git,
    /// `.DS_Store`, `__MACOSX/`, `._name`, `Thumbs.db`, `desktop.ini`.
    System,
    /// `__pycache__/`, `*.pyc`: code that nobody can read, run in place of its source.
    PythonCache,
    /// `node_modules/`: other people's code, unpinned and unread.
    NodeModules,
}

/// Whether `path` is junk, and how many of its names make it so.
pub fn junk(path: &ArchivePath) -> Option<(Junk, usize)> {
    path.components()
        .enumerate()
        .find_map(|(index, name)| Some((classify(name)?, index + 1)))
}

/// Whether a file or folder of this name is left out of what is delivered.
pub fn is_junk(name: &str) -> bool {
    classify(name).is_some()
}

/// Whether programs that only use a skill leave this file behind; what could be started is never passed over so.
pub fn is_litter(path: &str, is_executable: bool) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let in_cache = folders.rsplit('/').next() == Some("__pycache__");
    !is_executable
        && match classify(name) {
            // No machine makes such a folder in an installed skill.
            Some(Junk::System) => name != "__MACOSX",
            // Python loads one from elsewhere in place of a module that has no source.
            Some(Junk::PythonCache) => in_cache && name != "__pycache__",
            _ => false,
        }
}

fn classify(name: &str) -> Option<Junk> {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    match name {
        ".git" => Some(Junk::Git),
        "__MACOSX" | ".DS_Store" | "Icon\r" | "Thumbs.db" | "desktop.ini" => Some(Junk::System),
        "__pycache__" => Some(Junk::PythonCache),
        "node_modules" => Some(Junk::NodeModules),
        _ if name.starts_with("._") => Some(Junk::System),
        _ if matches!(extension, Some("pyc" | "pyo")) => Some(Junk::PythonCache),
        _ => None,
    }
}

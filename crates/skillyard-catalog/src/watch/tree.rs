//! The folders below the roots, with a stamp of their files, and the skills they make up.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::{self, Metadata};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Bound;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::private_dir::STAGING_PREFIX;

/// Folders that are never looked into.
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];
/// How deep folders below a root are looked into.
const MAX_DEPTH: usize = 16;

/// The device and inode of a folder, the same under each of its paths.
pub(super) type FileId = (u64, u64);

/// Each skill's folder, with a stamp of everything in it.
pub(super) type SkillStamps = BTreeMap<PathBuf, u64>;

/// The folders below the roots as they were in the last walk.
#[derive(Debug)]
pub(super) struct FolderTree {
    roots: Vec<PathBuf>,
    /// Folders into which links are followed, without links themselves.
    allowed: Vec<PathBuf>,
    max_folders: usize,
    folders: BTreeMap<PathBuf, WatchedFolder>,
    left_out: usize,
}

#[derive(Debug)]
struct WatchedFolder {
    file_id: FileId,
    /// The sum of the stamps of its files.
    stamp: u64,
    has_skill_file: bool,
}

impl FolderTree {
    /// The tree of `roots`, which is empty until it is walked.
    pub(super) fn new(roots: Vec<PathBuf>, allowed: &[PathBuf], max_folders: usize) -> Self {
        Self {
            roots,
            allowed: allowed
                .iter()
                .filter_map(|folder| folder.canonicalize().ok())
                .collect(),
            max_folders,
            folders: BTreeMap::new(),
            left_out: 0,
        }
    }

    /// Walks everything.
    pub(super) fn walk(&mut self) {
        self.folders.clear();
        self.left_out = 0;
        // Level by level: when there are too many folders, those left out are the deepest.
        for root in self.roots.clone() {
            let mut queue = VecDeque::from([root]);
            while let Some(folder) = queue.pop_front() {
                if self.folders.contains_key(&folder) {
                    continue;
                }
                if self.folders.len() >= self.max_folders {
                    self.left_out += 1;
                } else if let Some((found, below)) = self.list(&folder) {
                    self.folders.insert(folder, found);
                    queue.extend(below);
                }
            }
        }
    }

    /// Whether a root is not the folder that it was.
    pub(super) fn has_moved_roots(&self) -> bool {
        self.roots.iter().any(|root| {
            let found = fs::metadata(root).ok().filter(Metadata::is_dir);
            let known = self.folders.get(root).map(|folder| folder.file_id);
            found.map(|metadata| file_id(&metadata)) != known
        })
    }

    /// The skills, and a stamp for each that differs when any of its files does.
    pub(super) fn skills(&self) -> SkillStamps {
        let mut skills = SkillStamps::new();
        for root in &self.roots {
            // The paths below a folder follow it, so the skill they belong to is the last one found.
            let mut skill: Option<(&PathBuf, u64)> = None;
            for (path, folder) in self
                .folders
                .range::<Path, _>((Bound::Included(root.as_path()), Bound::Unbounded))
            {
                if !path.starts_with(root) {
                    break;
                }
                match &mut skill {
                    Some((top, stamp)) if path.starts_with(&**top) => {
                        *stamp = stamp.wrapping_add(folder.stamp);
                    }
                    _ if folder.has_skill_file => {
                        skills.extend(skill.take().map(|(path, stamp)| (path.clone(), stamp)));
                        skill = Some((path, folder.stamp));
                    }
                    _ => {}
                }
            }
            skills.extend(skill.map(|(path, stamp)| (path.clone(), stamp)));
        }
        skills
    }

    /// All folders and their identifiers.
    pub(super) fn folders(&self) -> impl Iterator<Item = (&Path, FileId)> {
        let folders = self.folders.iter();
        folders.map(|(path, folder)| (path.as_path(), folder.file_id))
    }

    /// How many folders there are.
    pub(super) fn len(&self) -> usize {
        self.folders.len()
    }

    /// How many folders were left out because there are too many.
    pub(super) fn left_out(&self) -> usize {
        self.left_out
    }

    /// A folder and the folders in it, if it exists.
    fn list(&self, path: &Path) -> Option<(WatchedFolder, BTreeSet<PathBuf>)> {
        let metadata = fs::metadata(path).ok().filter(Metadata::is_dir)?;
        let mut folder = WatchedFolder {
            file_id: file_id(&metadata),
            stamp: 0,
            has_skill_file: false,
        };
        let mut below = BTreeSet::new();
        let mut links = Vec::new();
        for entry in fs::read_dir(path).ok()?.flatten() {
            let (Ok(kind), name, path) = (entry.file_type(), entry.file_name(), entry.path())
            else {
                continue;
            };
            if kind.is_dir() {
                let is_staging = name
                    .as_encoded_bytes()
                    .starts_with(STAGING_PREFIX.as_bytes());
                if !is_staging && !SKIPPED.iter().any(|skipped| name == *skipped) {
                    below.insert(path);
                }
                continue;
            }
            // What a link leads to is what counts; a link to nothing is itself.
            let target = kind
                .is_symlink()
                .then(|| fs::metadata(&path).ok())
                .flatten();
            let Some(metadata) = target.or_else(|| entry.metadata().ok()) else {
                continue;
            };
            if metadata.is_dir() {
                links.push((path, file_id(&metadata)));
            } else {
                folder.has_skill_file |= name.eq_ignore_ascii_case("skill.md");
                folder.stamp = folder.stamp.wrapping_add(stamp(&path, &metadata));
            }
        }
        if self.depth(path) >= MAX_DEPTH {
            below.clear();
        } else if !links.is_empty() && !folder.has_skill_file && !self.is_in_skill(path) {
            links.retain(|(link, target)| self.follows(link, *target, folder.file_id));
            below.extend(links.into_iter().map(|(link, _)| link));
        }
        Some((folder, below))
    }

    /// Whether a link outside every skill, in the folder `parent`, is followed to the folder `target`.
    fn follows(&self, link: &Path, target: FileId, parent: FileId) -> bool {
        let leads_back = target == parent || self.above(link).any(|above| above.file_id == target);
        let is_skill = || {
            ["SKILL.md", "skill.md"]
                .iter()
                .any(|name| link.join(name).is_file())
        };
        let is_allowed = || {
            link.canonicalize()
                .is_ok_and(|target| self.allowed.iter().any(|root| target.starts_with(root)))
        };
        !leads_back && (is_skill() || is_allowed())
    }

    fn is_in_skill(&self, path: &Path) -> bool {
        self.above(path).any(|above| above.has_skill_file)
    }

    /// The known folders above a path.
    fn above<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a WatchedFolder> {
        path.ancestors()
            .skip(1)
            .filter_map(|above| self.folders.get(above))
    }

    /// How far a folder is below the nearest root.
    fn depth(&self, path: &Path) -> usize {
        self.roots
            .iter()
            .filter_map(|root| path.strip_prefix(root).ok())
            .map(|below| below.components().count())
            .min()
            .unwrap_or_default()
    }
}

fn file_id(metadata: &Metadata) -> FileId {
    (metadata.dev(), metadata.ino())
}

/// Differs when a file was written, replaced, renamed, made executable or moved.
fn stamp(path: &Path, metadata: &Metadata) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    metadata.size().hash(&mut hasher);
    metadata.mode().hash(&mut hasher);
    file_id(metadata).hash(&mut hasher);
    (metadata.mtime(), metadata.mtime_nsec()).hash(&mut hasher);
    (metadata.ctime(), metadata.ctime_nsec()).hash(&mut hasher);
    hasher.finish()
}

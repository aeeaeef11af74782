//! The folders below the roots, with a stamp of their files, and the skills they make up.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::{self, Metadata};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Bound;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::own_folder::WAITING;

/// Folders that are never looked into.
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];
/// How deep folders below a root are looked into.
const MAX_DEPTH: usize = 16;

/// What a folder is, whatever it is called: its device and its number there.
pub(super) type Identity = (u64, u64);

/// Each skill's folder, with a stamp of everything in it.
pub(super) type Skills = BTreeMap<PathBuf, u64>;

/// Which folders are listed again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// The folder itself, and what is new below it.
    New,
    /// The folder and everything below it.
    All,
}

/// The folders below the roots as they were when last looked at.
#[derive(Debug)]
pub(super) struct Tree {
    roots: Vec<PathBuf>,
    /// Folders into which links are followed, without links themselves.
    allowed: Vec<PathBuf>,
    max_folders: usize,
    folders: BTreeMap<PathBuf, Folder>,
    left_out: BTreeSet<PathBuf>,
}

#[derive(Debug)]
struct Folder {
    identity: Identity,
    /// The sum of the stamps of its files.
    stamp: u64,
    has_skill_file: bool,
}

impl Tree {
    /// The tree of `roots`, which is empty until it is refreshed.
    pub(super) fn new(roots: Vec<PathBuf>, allowed: &[PathBuf], max_folders: usize) -> Self {
        Self {
            roots,
            allowed: allowed
                .iter()
                .filter_map(|folder| folder.canonicalize().ok())
                .collect(),
            max_folders,
            folders: BTreeMap::new(),
            left_out: BTreeSet::new(),
        }
    }

    /// Looks at everything again.
    pub(super) fn refresh_all(&mut self) {
        self.left_out.clear();
        for root in self.roots.clone() {
            self.refresh(&root, Depth::All);
        }
    }

    /// Looks again at one folder.
    pub(super) fn refresh(&mut self, folder: &Path, depth: Depth) {
        let mut queue = VecDeque::from([folder.to_owned()]);
        // Level by level: when there are too many folders, those left out are the deepest.
        while let Some(folder) = queue.pop_front() {
            if !self.folders.contains_key(&folder) && self.folders.len() >= self.max_folders {
                self.left_out.insert(folder);
                continue;
            }
            let Some((found, below)) = self.look_at(&folder) else {
                self.forget(&folder);
                continue;
            };
            let gone: Vec<_> = self
                .below(&folder)
                .filter(|path| path.parent() == Some(&folder) && !below.contains(*path))
                .cloned()
                .collect();
            for path in gone {
                self.forget(&path);
            }
            self.folders.insert(folder, found);
            queue.extend(
                below
                    .into_iter()
                    .filter(|path| depth == Depth::All || !self.folders.contains_key(path)),
            );
        }
    }

    /// The roots that are not the folders they were.
    pub(super) fn moved_roots(&self) -> Vec<PathBuf> {
        let moved = |root: &&PathBuf| {
            let known = self.folders.get(*root).map(|folder| folder.identity);
            known
                != fs::metadata(root)
                    .ok()
                    .filter(Metadata::is_dir)
                    .map(|metadata| identity(&metadata))
        };
        self.roots.iter().filter(moved).cloned().collect()
    }

    /// The skills, and a stamp for each that differs when any of its files does.
    pub(super) fn skills(&self) -> Skills {
        let mut skills = Skills::new();
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

    /// All folders and what they are.
    pub(super) fn folders(&self) -> impl ExactSizeIterator<Item = (&Path, Identity)> {
        self.folders
            .iter()
            .map(|(path, folder)| (path.as_path(), folder.identity))
    }

    /// Whether a folder is among them.
    pub(super) fn knows(&self, folder: &Path) -> bool {
        self.folders.contains_key(folder)
    }

    /// How many folders were not looked at.
    pub(super) fn left_out(&self) -> usize {
        self.left_out.len()
    }

    /// What a folder is and the folders in it, unless there is none.
    fn look_at(&self, path: &Path) -> Option<(Folder, BTreeSet<PathBuf>)> {
        let metadata = fs::metadata(path).ok().filter(Metadata::is_dir)?;
        let mut folder = Folder {
            identity: identity(&metadata),
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
                let is_waiting = name.as_encoded_bytes().starts_with(WAITING.as_bytes());
                if !is_waiting && !SKIPPED.iter().any(|skipped| name == *skipped) {
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
                links.push((path, identity(&metadata)));
            } else {
                folder.has_skill_file |= name.eq_ignore_ascii_case("skill.md");
                folder.stamp = folder.stamp.wrapping_add(stamp(&path, &metadata));
            }
        }
        if self.depth(path) >= MAX_DEPTH {
            below.clear();
        } else if !links.is_empty() && !folder.has_skill_file && !self.is_in_skill(path) {
            links.retain(|(link, target)| self.follows(link, *target, folder.identity));
            below.extend(links.into_iter().map(|(link, _)| link));
        }
        Some((folder, below))
    }

    /// Whether a link outside every skill, in the folder `parent`, is followed to the folder `target`.
    fn follows(&self, link: &Path, target: Identity, parent: Identity) -> bool {
        let leads_back = target == parent || self.above(link).any(|above| above.identity == target);
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
    fn above<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a Folder> {
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

    /// The known folders below one, without it.
    fn below<'a>(&'a self, folder: &'a Path) -> impl Iterator<Item = &'a PathBuf> {
        self.folders
            .range::<Path, _>((Bound::Excluded(folder), Bound::Unbounded))
            .map(|(path, _)| path)
            .take_while(move |path| path.starts_with(folder))
    }

    fn forget(&mut self, folder: &Path) {
        let gone: Vec<_> = self.below(folder).cloned().collect();
        for path in gone {
            self.folders.remove(&path);
        }
        self.folders.remove(folder);
    }
}

fn identity(metadata: &Metadata) -> Identity {
    (metadata.dev(), metadata.ino())
}

/// Differs when a file was written, replaced, renamed, made executable or moved.
fn stamp(path: &Path, metadata: &Metadata) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    metadata.size().hash(&mut hasher);
    metadata.mode().hash(&mut hasher);
    identity(metadata).hash(&mut hasher);
    (metadata.mtime(), metadata.mtime_nsec()).hash(&mut hasher);
    (metadata.ctime(), metadata.ctime_nsec()).hash(&mut hasher);
    hasher.finish()
}

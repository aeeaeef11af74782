//! The locks of other projects than the one at hand. Their skills are reached by a path, by a link
//! or by a folder of the configuration.
//!
//! A lock names folders of skills that lie beside it, so where a skill lies leads to its lock. So does
//! where a folder of the user's agents lies to the record of what was put there, whichever folder the
//! user's lock means by now.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use parking_lot::Mutex;
use skillyard_catalog::walk::WatchedPath;
use skillyard_install::lockfile::{Lockfile, LockfileError};
use skillyard_install::scope::Scope;
use skillyard_install::target;

use crate::library::installed::{has_records, records_of};

/// What the locks of other projects say, read when somebody asks for a skill there.
#[derive(Debug)]
pub(super) struct Elsewhere {
    skillyard_home: PathBuf,
    /// The roots whose locks are known already.
    here: Vec<PathBuf>,
    /// The records of folders of the user's agents, mostly none.
    records: HashSet<OsString>,
    known: Mutex<KnownFolders>,
}

#[derive(Debug, Default)]
struct KnownFolders {
    /// The folder that was asked for last: most skills lie in one.
    last: Option<(PathBuf, Arc<SkillsFolder>)>,
    /// By the folder of skills.
    folders: HashMap<PathBuf, Arc<SkillsFolder>>,
    /// By the root.
    levels: HashMap<PathBuf, Arc<Level>>,
}

/// A folder of skills.
#[derive(Debug)]
pub(super) struct SkillsFolder {
    listed: Stamped,
    /// Where it lies behind all links.
    pub(super) whole: Option<PathBuf>,
    /// The names in it that are links; unknown where it cannot be listed.
    links: Option<HashSet<OsString>>,
    /// The levels whose locks could name what lies in it, outermost first.
    pub(super) levels: Vec<Arc<Level>>,
    /// The folders around it that could be skills themselves, each with the levels whose locks could
    /// name it.
    above: Vec<(PathBuf, Vec<Arc<Level>>)>,
}

/// A folder that has a lock, or could have one.
#[derive(Debug)]
pub(super) struct Level {
    place: LockPlace,
    /// Whether anything is written down there.
    pub(super) has_records: bool,
    lock: Stamped,
    records: OnceLock<Result<Vec<(Scope, Lockfile)>, LockfileError>>,
}

impl Elsewhere {
    /// Knows nothing yet, and will not ask at the roots that are known.
    pub(super) fn than(here: &[Scope], skillyard_home: &Path) -> Self {
        Self {
            skillyard_home: skillyard_home.to_owned(),
            here: here.iter().map(|scope| scope.root.clone()).collect(),
            records: Scope::folder_records(skillyard_home),
            known: Mutex::default(),
        }
    }

    /// What is known of a folder of skills.
    pub(super) fn folder(&self, skills: &Path) -> Arc<SkillsFolder> {
        let mut known = self.known.lock();
        let is_it = |path: &PathBuf| path.as_os_str() == skills.as_os_str();
        if let Some((_, folder)) = known.last.as_ref().filter(|(path, _)| is_it(path)) {
            return Arc::clone(folder);
        }
        let folder = known.folders.get(skills).map(Arc::clone);
        let folder = folder.unwrap_or_else(|| {
            let folder = Arc::new(self.look(skills, &mut known.levels));
            let kept = Arc::clone(&folder);
            known.folders.insert(skills.to_owned(), kept);
            folder
        });
        known.last = Some((skills.to_owned(), Arc::clone(&folder)));
        folder
    }

    fn look(&self, skills: &Path, known: &mut HashMap<PathBuf, Arc<Level>>) -> SkillsFolder {
        // Before it is listed: what changes meanwhile is noticed the next time.
        let listed = Stamped::now(skills.to_owned());
        let whole = skills.canonicalize().ok();
        let both = std::iter::once(skills).chain(whole.as_deref());
        let levels = self.levels(both, known);
        let around = skills.ancestors();
        let around = around.chain(whole.iter().flat_map(|whole| whole.ancestors()));
        let above = around.filter_map(|folder| {
            let levels = self.levels([folder.parent()?], known);
            (!levels.is_empty()).then(|| (folder.to_owned(), levels))
        });
        SkillsFolder {
            above: above.collect(),
            listed,
            whole,
            links: links(skills),
            levels,
        }
    }

    /// The levels whose locks could name a skill in folders of skills, but for those whose locks are
    /// known. The user's own record of a folder comes before what a project says of it.
    fn levels<'a>(
        &self,
        folders: impl IntoIterator<Item = &'a Path>,
        known: &mut HashMap<PathBuf, Arc<Level>>,
    ) -> Vec<Arc<Level>> {
        let (mut roots, mut levels) = (Vec::new(), Vec::new());
        for folder in folders {
            roots.extend(target::roots(folder));
            if let Some(record) = self.record(folder) {
                let level = || Arc::new(Level::of(folder, &record, &self.skillyard_home));
                let level = known.entry(record.clone()).or_insert_with(level);
                levels.push(Arc::clone(level));
            }
        }
        roots.retain(|root| !self.here.contains(root));
        roots.sort_unstable();
        roots.dedup();
        levels.extend(roots.into_iter().map(|root| {
            let level = || Arc::new(Level::at(&root, &self.skillyard_home));
            Arc::clone(known.entry(root.clone()).or_insert_with(level))
        }));
        levels
    }

    /// The record of what was put into a folder of the user's agents.
    fn record(&self, folder: &Path) -> Option<PathBuf> {
        if self.records.is_empty() {
            return None;
        }
        let record = Scope::folder_record(&self.skillyard_home, folder);
        self.records.contains(record.file_name()?).then_some(record)
    }

    /// Whether what was read is what is there now.
    pub(super) fn is_current(&self) -> bool {
        let known = self.known.lock();
        let mut folders = known.folders.iter();
        folders.all(|(path, folder)| folder.is_current(path))
            && known.levels.values().all(|level| level.lock.is_current())
    }
}

impl SkillsFolder {
    /// The levels whose locks could name a folder around it.
    pub(super) fn above(&self, folder: &Path) -> &[Arc<Level>] {
        let mut above = self.above.iter();
        let found = above.find(|(each, _)| each == folder);
        found.map_or(&[], |(_, levels)| levels)
    }

    /// The levels whose locks could name what lies in it, or a folder around it.
    pub(super) fn all_levels(&self) -> impl Iterator<Item = &Arc<Level>> {
        let above = self.above.iter().flat_map(|(_, levels)| levels);
        self.levels.iter().chain(above)
    }

    /// Whether something in it is a link.
    pub(super) fn is_link(&self, path: &Path) -> bool {
        let links = self.links.as_ref().zip(path.file_name());
        links.map_or_else(|| path.is_symlink(), |(links, name)| links.contains(name))
    }

    fn is_current(&self, path: &Path) -> bool {
        self.listed.is_current() && path.canonicalize().ok() == self.whole
    }
}

fn links(folder: &Path) -> Option<HashSet<OsString>> {
    let mut links = HashSet::new();
    for entry in folder.read_dir().ok()? {
        let entry = entry.ok()?;
        if entry.file_type().ok()?.is_symlink() {
            links.insert(entry.file_name());
        }
    }
    Some(links)
}

/// What a lock is about.
#[derive(Debug)]
enum LockPlace {
    /// A project.
    Project(Scope),
    /// A folder of the user's agents.
    Folder {
        path: PathBuf,
        skillyard_home: PathBuf,
    },
}

impl Level {
    fn at(root: &Path, skillyard_home: &Path) -> Self {
        let scope = Scope::project(root, skillyard_home);
        Self {
            lock: Stamped::now(scope.lock_file()),
            has_records: has_records(&scope),
            place: LockPlace::Project(scope),
            records: OnceLock::new(),
        }
    }

    /// What the record of a folder says.
    fn of(folder: &Path, record: &Path, skillyard_home: &Path) -> Self {
        Self {
            lock: Stamped::now(record.to_owned()),
            has_records: true,
            place: LockPlace::Folder {
                path: folder.to_owned(),
                skillyard_home: skillyard_home.to_owned(),
            },
            records: OnceLock::new(),
        }
    }

    /// What is written down there.
    pub(super) fn records(&self) -> Result<&[(Scope, Lockfile)], &LockfileError> {
        let records = self.records.get_or_init(|| match &self.place {
            LockPlace::Project(scope) => records_of(scope),
            LockPlace::Folder {
                path,
                skillyard_home,
            } => {
                let record = Lockfile::read(self.file())?;
                let scope = Scope::folder(path, &record, skillyard_home);
                Ok(vec![(scope, record)])
            }
        });
        records.as_deref()
    }

    /// The lock.
    pub(super) fn file(&self) -> &Path {
        &self.lock.watched.path
    }
}

/// Something as it was before it was read.
#[derive(Debug)]
struct Stamped {
    watched: WatchedPath,
    /// Whether it changed so shortly before that its stamp may hide another change.
    is_racy: bool,
}

impl Stamped {
    fn now(path: PathBuf) -> Self {
        let watched = WatchedPath::new(path);
        Self {
            is_racy: watched.is_racy(SystemTime::now()),
            watched,
        }
    }

    fn is_current(&self) -> bool {
        !self.is_racy && WatchedPath::new(self.watched.path.clone()) == self.watched
    }
}

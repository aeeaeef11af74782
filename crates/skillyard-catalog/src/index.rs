//! The persistent index: what the last walk found, so that the next start only stats.
//!
//! Each set of sources has one file. It is a cache: a missing, damaged or old one is rebuilt silently. If two processes write it, the
//! last one wins.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use skillyard_format::Digest;

use crate::cache_file::{self, Magic};
use crate::parallel;
use crate::record::{self, Reading};
use crate::walk::{
    Extent, Links, Listed, SkillWalk, Skipped, Stamp, WalkLimits, WalkScope, WatchedPath, now,
};

/// What an index file starts with; the number is its version.
const MAGIC: Magic = *b"skyidx11";
/// How many files one thread stats before it takes the next.
const FILES_PER_BLOCK: usize = 256;
/// Index files that were not written for this long are removed.
const MAX_AGE: Duration = Duration::from_hours(30 * 24);

/// What one source contained when it was walked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SourceSnapshot {
    /// The source's folder.
    root: PathBuf,
    /// Every `SKILL.md`, in order of the folders.
    pub(crate) readings: Vec<Reading>,
    pub(crate) skipped: Vec<Skipped>,
    listed: Vec<Listed>,
    /// Files and links besides the listed folders that decided what was skipped.
    watched: Vec<WatchedPath>,
    /// When the walk began, in nanoseconds since 1970.
    walked: i64,
}

/// The folder of a source.
#[derive(Debug, Clone)]
pub(crate) struct SourceRoot {
    pub(crate) path: PathBuf,
    /// Whether it exists. Most do not: folders of agents that are not installed.
    pub(crate) exists: bool,
}

impl SourceRoot {
    pub(crate) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            // One that cannot be examined counts as existing, and the walk reports why.
            exists: path.try_exists().unwrap_or(true),
        }
    }
}

/// How sources are walked.
#[derive(Debug, Clone)]
pub(crate) struct WalkRules {
    pub(crate) limits: WalkLimits,
    pub(crate) links: Links,
}

/// Where the index is stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IndexFile<'a> {
    pub(crate) path: &'a Path,
    pub(crate) is_read_only: bool,
}

/// How much a load had to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct IndexUse {
    /// Sources whose index was still valid.
    pub fresh: usize,
    /// Sources that were walked.
    pub walked: usize,
    /// Single files that were read again.
    pub reread: usize,
}

/// What each source contains, from the index where that is still valid.
pub(crate) fn load(
    roots: &[SourceRoot],
    rules: &WalkRules,
    file: Option<IndexFile<'_>>,
) -> (Vec<SourceSnapshot>, IndexUse) {
    let mut used = IndexUse::default();
    let known: Option<Vec<SourceSnapshot>> =
        file.and_then(|file| cache_file::read(file.path, MAGIC));
    let known = known.unwrap_or_default();
    let mut has_changed = known.len() != roots.len();
    let mut known = known.into_iter();
    let mut snapshots = Vec::with_capacity(roots.len());
    for root in roots {
        let old = known.next().filter(|old| old.has_same_folders(root));
        let refreshed = old.and_then(SourceSnapshot::refreshed);
        snapshots.push(if let Some((snapshot, reread)) = refreshed {
            used.fresh += 1;
            used.reread += reread;
            has_changed |= reread > 0;
            snapshot
        } else {
            used.walked += 1;
            has_changed = true;
            SourceSnapshot::of(root, rules)
        });
    }
    if let Some(file) = file.filter(|file| has_changed && !file.is_read_only) {
        // A cache that cannot be written costs time, not results.
        let _ = write(file.path, &snapshots);
    }
    (snapshots, used)
}

/// The index file of these sources in `folder`.
pub(crate) fn file_for(folder: &Path, roots: &[SourceRoot], rules: &WalkRules) -> PathBuf {
    let mut key = format!("{rules:?}");
    for root in roots {
        key.push('\n');
        key.push_str(&root.path.to_string_lossy());
    }
    let digest = Digest::of(key.as_bytes()).to_hex();
    folder.join(format!("{}.index", &digest[..32]))
}

impl SourceSnapshot {
    fn of(root: &SourceRoot, rules: &WalkRules) -> Self {
        let mut snapshot = Self {
            root: root.path.clone(),
            readings: Vec::new(),
            skipped: Vec::new(),
            listed: Vec::new(),
            watched: Vec::new(),
            walked: now(),
        };
        if root.exists {
            let walk = SkillWalk {
                limits: rules.limits,
                links: rules.links.clone(),
                extent: Extent::Head,
                scope: WalkScope::Usual,
            };
            let mut found = walk.run(&root.path, record::read);
            // A walk goes level by level; precedence within a source goes by path.
            found.skills.sort_by(|a, b| a.folder().cmp(b.folder()));
            snapshot.readings = found.skills;
            snapshot.skipped = found.skipped;
            snapshot.listed = found.listed;
            snapshot.watched = found.watched;
        }
        snapshot
    }

    /// Whether the folders of a source, and what else decided, are as they were.
    fn has_same_folders(&self, root: &SourceRoot) -> bool {
        if self.root != root.path {
            return false;
        }
        if self.listed.is_empty() {
            // The root did not exist, or was a skill itself.
            return self.readings.is_empty() && !root.exists;
        }
        let is_same = |stamp: Stamp, known: Stamp| stamp == known && !stamp.is_racy(self.walked);
        let listed = self.listed.iter().all(|listed| {
            let stat = rustix::fs::stat(&listed.path);
            stat.is_ok_and(|stat| is_same(Stamp::of(&stat), listed.stamp))
        });
        listed
            && self.watched.iter().all(|watched| {
                let stamp = WatchedPath::stamp_of(&watched.path);
                stamp == watched.stamp && !stamp.is_ok_and(|stamp| stamp.is_racy(self.walked))
            })
    }

    /// The snapshot with changed files read again, and how many these are; `None` if only a walk can tell.
    fn refreshed(mut self) -> Option<(Self, usize)> {
        let is_stale = |(): &mut (), reading: &Reading| {
            let stat = rustix::fs::lstat(reading.path()).ok()?;
            let stamp = Stamp::of(&stat);
            Some(stamp != reading.stamp() || stamp.is_racy(self.walked))
        };
        let stale = parallel::map(&self.readings, FILES_PER_BLOCK, || (), is_stale);
        let stale: Vec<bool> = stale.into_iter().collect::<Option<_>>()?;
        let count = stale.iter().filter(|is_stale| **is_stale).count();
        if count == 0 {
            return Some((self, 0));
        }
        let canonical = self.root.canonicalize().ok()?;
        for (reading, _) in self.readings.iter_mut().zip(stale).filter(|each| each.1) {
            // The target of a link may have changed too: only a walk knows what is allowed.
            let path = reading.path();
            let direct = canonical.join(path.strip_prefix(&self.root).ok()?);
            if path.canonicalize().ok()? != direct {
                return None;
            }
            *reading = reread(&path)?;
        }
        self.walked = now();
        Some((self, count))
    }
}

fn reread(path: &Path) -> Option<Reading> {
    let walk = SkillWalk {
        limits: WalkLimits {
            depth: 0,
            folders: 1,
        },
        links: Links::Skip,
        extent: Extent::Head,
        scope: WalkScope::Usual,
    };
    let mut skills = walk.run(path.parent()?, record::read).skills;
    skills.pop()
}

fn write(file: &Path, snapshots: &[SourceSnapshot]) -> io::Result<()> {
    cache_file::write(file, MAGIC, &snapshots)?;
    // Removes the indexes of projects that are not used any more.
    for entry in fs::read_dir(file.parent().unwrap_or(Path::new(".")))?.flatten() {
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        if modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > MAX_AGE)) {
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

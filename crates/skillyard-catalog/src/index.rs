//! The persistent index: what the last walk found, so that the next start only stats.
//!
//! One file a set of sources, read at once, checksummed, replaced by renaming. It is a
//! cache and nothing else: one that is missing, old, damaged or from another version is
//! rebuilt without a word. Two processes that write it at once both write a whole file,
//! and the last one stays.

pub(crate) mod file;
mod look;
mod read;
mod row;
mod write;

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use skillyard_format::Digest;

use self::look::{Known, Truth};
use crate::record::{self, Reading};
use crate::walk::{Extent, Links, Listed, Reach, Skipped, Stamp, Walk, WalkLimits, Watched};

/// Files changed this shortly before a walk are read again: a clock's tick may hide a change.
pub(crate) const RACY: i64 = 20_000_000;

/// What one source held when it was walked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Snapshot {
    /// The source's folder.
    root: PathBuf,
    /// Every `SKILL.md`, in order of the folders.
    pub(crate) readings: Vec<Reading>,
    /// What was passed over.
    pub(crate) skipped: Vec<Skipped>,
    /// The folders that were listed.
    listed: Vec<Listed>,
    /// What else decided about what was passed over.
    watched: Vec<Watched>,
    /// When the walk began, in nanoseconds since 1970.
    walked: i64,
}

/// The folder of a source.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) root: PathBuf,
    /// Whether it is there. Most are not: folders of agents that nobody installed.
    pub(crate) is_there: bool,
}

impl Place {
    /// Looks whether a source is there.
    pub(crate) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            // One that cannot be looked at is there as far as anybody knows, and the walk says why.
            is_there: root.try_exists().unwrap_or(true),
        }
    }
}

/// How sources are walked.
#[derive(Debug, Clone)]
pub(crate) struct Scan {
    pub(crate) limits: WalkLimits,
    pub(crate) links: Links,
}

/// Where the index is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IndexFile<'a> {
    pub(crate) path: &'a Path,
    /// Whether it stays as it is, whatever is found.
    pub(crate) stays: bool,
}

/// How much a load had to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct IndexUse {
    /// Sources whose index was still true.
    pub fresh: usize,
    /// Sources that were walked.
    pub walked: usize,
    /// Single files that were read again.
    pub reread: usize,
}

/// What `make` makes of the snapshots of all sources, which are from the index where it is still
/// true.
///
/// Mostly all of it is, and `make` works while the files are still looked at; where one changed, it
/// is asked once more.
pub(crate) fn load<T>(
    places: &[Place],
    scan: &Scan,
    file: Option<IndexFile<'_>>,
    make: impl Fn(Vec<Snapshot>) -> T,
) -> (T, IndexUse) {
    let mut used = IndexUse::default();
    let known = match file.and_then(|file| look::known(places, file.path, &make)) {
        Some(Truth::Same(ready)) => {
            used.fresh = places.len();
            return (ready, used);
        }
        Some(Truth::Changed(known)) => known,
        None => Vec::new(),
    };
    let mut known = known.into_iter();
    let mut changed = known.len() != places.len();
    let snapshots: Vec<Snapshot> = places
        .iter()
        .map(|place| {
            let old = known.next().flatten();
            if let Some((snapshot, same)) = old.and_then(|old| refresh(old, &mut used)) {
                used.fresh += 1;
                changed |= !same;
                snapshot
            } else {
                used.walked += 1;
                changed = true;
                walk(place, scan)
            }
        })
        .collect();
    if let Some(file) = file.filter(|file| changed && !file.stays) {
        // A cache that cannot be written costs time, not answers.
        let _ = write::write(file.path, &snapshots);
    }
    (make(snapshots), used)
}

/// Where the index of these sources lies below `folder`.
pub(crate) fn file_for(folder: &Path, places: &[Place], scan: &Scan) -> PathBuf {
    let mut key = format!("{scan:?}");
    for place in places {
        key.push('\n');
        key.push_str(&place.root.to_string_lossy());
    }
    folder.join(format!(
        "{}.index",
        &Digest::of(key.as_bytes()).to_hex()[..32]
    ))
}

fn walk(place: &Place, scan: &Scan) -> Snapshot {
    let (root, walked) = (&place.root, now());
    if !place.is_there {
        return Snapshot {
            root: root.clone(),
            readings: Vec::new(),
            skipped: Vec::new(),
            listed: Vec::new(),
            watched: Vec::new(),
            walked,
        };
    }
    let walk = Walk {
        limits: scan.limits,
        links: scan.links.clone(),
        extent: Extent::Head,
        reach: Reach::Usual,
    };
    let mut found = walk.run(root, record::read);
    // A walk goes level by level; precedence within a source goes by path.
    found.skills.sort_by(|a, b| a.folder().cmp(b.folder()));
    Snapshot {
        root: root.clone(),
        readings: found.skills,
        skipped: found.skipped,
        listed: found.listed,
        watched: found.watched,
        walked,
    }
}

/// The snapshot, with the files that changed read again.
///
/// Also tells whether nothing at all changed.
fn refresh(known: Known, used: &mut IndexUse) -> Option<(Snapshot, bool)> {
    let Known {
        snapshot: mut old,
        stale,
    } = known;
    let mut same = true;
    let canonical = stale
        .contains(&Some(true))
        .then(|| old.root.canonicalize().ok())
        .flatten();
    for (reading, stale) in old.readings.iter_mut().zip(stale) {
        if stale? {
            same = false;
            used.reread += 1;
            // Where a link leads may have changed too: only a walk knows what is allowed.
            let path = reading.path();
            let direct = canonical.as_ref()?.join(path.strip_prefix(&old.root).ok()?);
            if path.canonicalize().ok()? != direct {
                return None;
            }
            *reading = reread(&path)?;
        }
    }
    if !same {
        old.walked = now();
    }
    Some((old, same))
}

fn reread(path: &Path) -> Option<Reading> {
    let walk = Walk {
        limits: WalkLimits {
            depth: 0,
            folders: 1,
        },
        links: Links::Skip,
        extent: Extent::Head,
        reach: Reach::Usual,
    };
    let mut skills = walk.run(path.parent()?, record::read).skills;
    skills.pop()
}

fn is_racy(stamp: Stamp, walked: i64) -> bool {
    stamp.modified > walked - RACY
}

/// The time in nanoseconds since 1970.
pub(crate) fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|time| i64::try_from(time.as_nanos()).ok())
        .unwrap_or_default()
}

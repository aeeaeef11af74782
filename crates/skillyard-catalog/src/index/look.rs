//! Looking whether what an index tells is still true.

use std::ops::Range;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, Mode, OFlags};

use super::file::StoredSource;
use super::read::Front;
use super::{Place, Snapshot, is_racy};
use crate::parallel;
use crate::walk::{Stamp, Watched};

/// How many files one thread looks at before it takes the next.
const BLOCK: usize = 256;

/// What the index tells of one source, whose folders are as they were.
pub(super) struct Known {
    pub(super) snapshot: Snapshot,
    /// For each reading whether its file has to be read again; `None` where that is gone.
    pub(super) stale: Vec<Option<bool>>,
}

/// How much of an index is still true.
pub(super) enum Truth<T> {
    /// All of it, and what was made of it.
    Same(T),
    /// What it tells of each source; `None` for those that have to be walked.
    Changed(Vec<Option<Known>>),
}

/// Looks at every file that the index tells of, while the rest of it is read and `make` makes
/// something of all that.
pub(super) fn known<T>(
    places: &[Place],
    file: &Path,
    make: impl Fn(Vec<Snapshot>) -> T,
) -> Option<Truth<T>> {
    let front = Front::open(file)?;
    let ranges = front.ranges()?;
    let is_same = |(at, stored): (usize, &StoredSource)| {
        let now = places.get(at);
        now.is_some_and(|now| now.root == stored.root && has_same_folders(stored, now))
    };
    let same: Vec<bool> = front.sources().iter().enumerate().map(is_same).collect();
    let blocks = blocks(&ranges, &same);
    let is_all = same.len() == places.len() && same.iter().all(|is_same| *is_same);
    let (ready, looks) = parallel::map_beside(
        || {
            let snapshots = front.read()?;
            Some(if is_all {
                Ok(make(snapshots))
            } else {
                Err(snapshots)
            })
        },
        &blocks,
        1,
        Root::default,
        |root, (source, rows)| {
            let stored = &front.sources()[*source];
            let look = |at| {
                let (path, stamp) = front.file(at)?;
                let found = root.stamp_of(*source, stored, path)?;
                Some(found != stamp || is_racy(stamp, stored.walked))
            };
            rows.clone().map(look).collect::<Vec<_>>()
        },
    );
    let snapshots = match ready? {
        Ok(ready) if looks.iter().flatten().all(|look| *look == Some(false)) => {
            return Some(Truth::Same(ready));
        }
        Ok(_) => front.read()?,
        Err(snapshots) => snapshots,
    };
    let mut stale: Vec<Vec<Option<bool>>> = vec![Vec::new(); ranges.len()];
    for ((source, _), looks) in blocks.into_iter().zip(looks) {
        stale[source].extend(looks);
    }
    let known = snapshots.into_iter().zip(stale).zip(same);
    let known = known
        .map(|((snapshot, stale), is_same)| is_same.then_some(Known { snapshot, stale }))
        .collect();
    Some(Truth::Changed(known))
}

/// The rows of the files to look at, each with its source, parted for threads to take.
fn blocks(ranges: &[Range<usize>], same: &[bool]) -> Vec<(usize, Range<usize>)> {
    let wanted = ranges.iter().zip(same).enumerate();
    wanted
        .filter(|(_, (_, is_same))| **is_same)
        .flat_map(|(source, (rows, _))| {
            let starts = rows.clone().step_by(BLOCK);
            starts.map(move |start| (source, start..rows.end.min(start + BLOCK)))
        })
        .collect()
}

/// The root of the source that a thread is at; threads that share a descriptor wait for each other
/// to count its uses.
#[derive(Default)]
struct Root {
    source: Option<usize>,
    folder: Option<OwnedFd>,
}

impl Root {
    /// The stamp of what is at `path` below the root of `source` now, behind links to folders.
    fn stamp_of(&mut self, source: usize, stored: &StoredSource, path: &str) -> Option<Stamp> {
        if self.source != Some(source) {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            self.folder = rustix::fs::open(&stored.root, flags, Mode::empty()).ok();
            self.source = Some(source);
        }
        let stat = rustix::fs::statat(self.folder.as_ref()?, path, AtFlags::SYMLINK_NOFOLLOW);
        Some(Stamp::of(&stat.ok()?))
    }
}

/// Whether the folders of a source, and what else decided, are as they were.
fn has_same_folders(stored: &StoredSource, now: &Place) -> bool {
    if stored.listed.is_empty() {
        // The root was not there, or was a skill itself.
        return stored.rows == 0 && !now.is_there;
    }
    let is_same = |stamp: Stamp, known: Stamp| stamp == known && !is_racy(stamp, stored.walked);
    let listed = stored.listed.iter().all(|listed| {
        let stat = rustix::fs::stat(&listed.path);
        stat.is_ok_and(|stat| is_same(Stamp::of(&stat), listed.stamp))
    });
    listed
        && stored.watched.iter().all(|watched| {
            let stamp = Watched::stamp_of(&watched.path);
            stamp == watched.stamp && !stamp.is_ok_and(|stamp| is_racy(stamp, stored.walked))
        })
}

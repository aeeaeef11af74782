//! Looking whether what an index tells is still true.

use std::ops::Range;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, Mode, OFlags};

use super::file::StoredSource;
use super::read::Front;
use super::{Snapshot, is_racy};
use crate::parallel;
use crate::source::Source;
use crate::walk::{Stamp, Watched};

/// How many files one thread looks at before it takes the next.
const BLOCK: usize = 256;

/// What the index tells of one source, whose folders are as they were.
pub(super) struct Known {
    pub(super) snapshot: Snapshot,
    /// For each reading whether its file has to be read again; `None` where that is gone.
    pub(super) stale: Vec<Option<bool>>,
}

/// Where the paths of a source's files are, and their stamps.
pub(super) type Files = Vec<(Range<usize>, Stamp)>;

/// What the index tells of each source; `None` for those that have to be walked.
///
/// The files are looked at while the rest of the index is read.
pub(super) fn known(sources: &[Source], file: &Path) -> Option<Vec<Option<Known>>> {
    let front = Front::open(file)?;
    let files = front.files()?;
    let is_same = |(at, stored): (usize, &StoredSource)| {
        let now = sources.get(at);
        now.is_some_and(|now| now.root == stored.root) && has_same_folders(stored)
    };
    let same: Vec<bool> = front.sources().iter().enumerate().map(is_same).collect();
    let order = order(&files, &same);
    let (snapshots, looks) = parallel::map_beside(
        || front.read(),
        &order,
        BLOCK,
        Root::default,
        |root, (source, _, at)| {
            let (path, stamp) = &files[*source][*at];
            let stored = &front.sources()[*source];
            let found = root.stamp_of(*source, stored, &front.paths()[path.clone()])?;
            Some(found != *stamp || is_racy(*stamp, stored.walked))
        },
    );
    let mut stale: Vec<Vec<Option<bool>>> =
        files.iter().map(|files| vec![None; files.len()]).collect();
    for ((source, _, at), look) in order.into_iter().zip(looks) {
        stale[source][at] = look;
    }
    let known = snapshots?.into_iter().zip(stale).zip(same);
    let known = known
        .map(|((snapshot, stale), is_same)| is_same.then_some(Known { snapshot, stale }))
        .collect();
    Some(known)
}

/// The files to look at, as their sources, inodes and places.
///
/// What was made one after the other lies close together in the kernel's memory, and waiting for
/// that is most of what a look costs.
fn order(files: &[Files], same: &[bool]) -> Vec<(usize, u64, usize)> {
    let mut order = Vec::with_capacity(files.iter().map(Vec::len).sum());
    let wanted = files.iter().zip(same).enumerate();
    for (source, (files, _)) in wanted.filter(|(_, (_, is_same))| **is_same) {
        let files = files.iter().enumerate();
        order.extend(files.map(|(at, (_, stamp))| (source, stamp.inode, at)));
    }
    order.sort_unstable();
    order
}

/// The root of the source that a thread is at; threads that share a descriptor wait for each other
/// to count its uses.
#[derive(Default)]
struct Root {
    source: Option<usize>,
    folder: Option<OwnedFd>,
}

impl Root {
    /// The stamp of what is at `path` below the root of `source` now, behind links.
    fn stamp_of(&mut self, source: usize, stored: &StoredSource, path: &str) -> Option<Stamp> {
        if self.source != Some(source) {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            self.folder = rustix::fs::open(&stored.root, flags, Mode::empty()).ok();
            self.source = Some(source);
        }
        let stat = rustix::fs::statat(self.folder.as_ref()?, path, AtFlags::empty());
        Some(Stamp::of(&stat.ok()?))
    }
}

/// Whether the folders of a source, and what else decided, are as they were.
fn has_same_folders(stored: &StoredSource) -> bool {
    if stored.listed.is_empty() {
        // The root was not there, or was a skill itself.
        return stored.rows == 0 && !stored.root.exists();
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

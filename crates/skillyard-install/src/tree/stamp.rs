//! What tells whether the files of a folder were touched, without reading them.
//!
//! Whoever writes a file, or replaces it, leaves another time of change, which nobody can set back
//! (`ctime`), or another number. Folders are not looked at: some systems give one that is moved
//! another time, and what is in it has a name of its own here.

use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use skillyard_catalog::resource::MAX_DEPTH;
use skillyard_format::Digest;

/// A file that was changed again within one tick of the clock looks the same.
const TICK: Duration = Duration::from_millis(50);
/// The same where the file system counts whole seconds.
const COARSE_TICK: Duration = Duration::from_secs(2);

/// Names, numbers, sizes and times of all files in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fingerprint(Digest);

/// The same of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileStat {
    pub(super) number: u64,
    pub(super) size: u64,
    /// In nanoseconds.
    pub(super) modified: i128,
    pub(super) changed: i128,
}

impl FileStat {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self {
            number: metadata.ino(),
            size: metadata.size(),
            modified: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

impl Fingerprint {
    /// Of what is there now, be it a folder or not.
    pub(crate) fn of(path: &Path) -> Self {
        let mut marks = Vec::new();
        match path.symlink_metadata() {
            Ok(found) if found.is_dir() => collect(path, b"", 0, &mut marks),
            // What is moved itself is changed by that.
            Ok(found) => marks.push((
                Vec::new(),
                Some(FileStat {
                    changed: 0,
                    ..FileStat::of(&found)
                }),
            )),
            Err(_) => marks.push((Vec::new(), None)),
        }
        Self::over(marks)
    }

    /// Of files that were read just now; nothing where one is so new that it could be changed again
    /// without a trace.
    pub(super) fn of_read<'a>(files: impl Iterator<Item = (&'a str, FileStat)>) -> Option<Self> {
        let files = files.map(|(path, mark)| (path.as_bytes().to_vec(), Some(mark)));
        let marks: Vec<_> = files.collect();
        let known = marks.iter().filter_map(|(_, mark)| mark.as_ref());
        are_settled(known).then(|| Self::over(marks))
    }

    fn over(mut marks: Vec<(Vec<u8>, Option<FileStat>)>) -> Self {
        marks.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut text = Vec::new();
        for (path, mark) in marks {
            text.extend_from_slice(&path);
            // No path has a null in it.
            text.push(0);
            match mark {
                Some(mark) => {
                    text.extend_from_slice(&mark.number.to_le_bytes());
                    text.extend_from_slice(&mark.size.to_le_bytes());
                    text.extend_from_slice(&mark.modified.to_le_bytes());
                    text.extend_from_slice(&mark.changed.to_le_bytes());
                }
                None => text.extend_from_slice(b"unreadable"),
            }
        }
        Self(Digest::of(&text))
    }
}

/// Whether all of these are so old that a file could not be changed again without a trace.
pub(super) fn are_settled<'a>(mut marks: impl Iterator<Item = &'a FileStat> + Clone) -> bool {
    let is_fine = marks.clone().any(|mark| mark.changed % 1_000_000_000 != 0);
    let tick = if is_fine { TICK } else { COARSE_TICK };
    let settled = SystemTime::now().checked_sub(tick);
    let settled = settled.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    settled.is_some_and(|settled| {
        let settled = i128::try_from(settled.as_nanos());
        settled.is_ok_and(|at| marks.all(|mark| mark.changed < at))
    })
}

/// Everything in a folder that is no folder, following no link. A folder that cannot be listed is
/// there, and that is all. So is one that lies deeper than anything of a skill may: how far a path
/// leads depends on where its folder is, and this is compared after it was moved.
fn collect(
    folder: &Path,
    below: &[u8],
    depth: usize,
    marks: &mut Vec<(Vec<u8>, Option<FileStat>)>,
) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        marks.push((below.to_vec(), None));
        return;
    };
    for entry in entries.flatten() {
        let mut path = below.to_vec();
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(entry.file_name().as_bytes());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < MAX_DEPTH => {
                collect(&entry.path(), &path, depth + 1, marks);
            }
            _ => marks.push((path, entry.metadata().ok().as_ref().map(FileStat::of))),
        }
    }
}

/// A moment in nanoseconds.
pub(super) fn nanoseconds(seconds: impl Into<i128>, more: impl Into<i128>) -> i128 {
    seconds.into() * 1_000_000_000 + more.into()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Instant;

    use super::*;
    use crate::tree::{Tree, TreeLimits};

    /// The stamp of a folder once its files are old enough for one.
    fn settled(folder: &Path) -> Fingerprint {
        let start = Instant::now();
        loop {
            let read = Tree::read_stamped(folder, &TreeLimits::default()).unwrap();
            if let Some(stamp) = read.1 {
                return stamp;
            }
            assert!(
                start.elapsed() < Duration::from_secs(30),
                "it never settles"
            );
        }
    }

    #[test]
    fn a_folder_that_is_moved_keeps_its_stamp_and_one_that_is_touched_does_not() {
        let root = tempfile::tempdir().unwrap();
        let (place, stage) = (root.path().join("skill"), root.path().join("stage"));
        fs::create_dir_all(place.join("scripts")).unwrap();
        fs::create_dir(&stage).unwrap();
        fs::write(place.join("SKILL.md"), "text").unwrap();
        fs::write(place.join("scripts/run.sh"), "echo").unwrap();
        // What was written just now could be written again without a trace.
        let fresh = Tree::read_stamped(&place, &TreeLimits::default()).unwrap();
        assert!(fresh.1.is_none());
        let stamp = settled(&place);
        let moved = stage.join("skill");
        fs::rename(&place, &moved).unwrap();
        assert_eq!(Fingerprint::of(&moved), stamp);
        for (path, text) in [("scripts/run.sh", "more"), ("notes.md", "mine")] {
            let before = settled(&moved);
            fs::write(moved.join(path), text).unwrap();
            assert_ne!(Fingerprint::of(&moved), before, "{path}");
        }
        let before = settled(&moved);
        fs::create_dir(moved.join(".git")).unwrap();
        fs::write(moved.join(".git/HEAD"), "ref").unwrap();
        assert_ne!(Fingerprint::of(&moved), before);
    }

    #[test]
    fn what_is_no_folder_has_a_stamp_that_moving_leaves() {
        let root = tempfile::tempdir().unwrap();
        let (place, other) = (root.path().join("skill"), root.path().join("other"));
        fs::write(&place, "text").unwrap();
        let stamp = Fingerprint::of(&place);
        fs::rename(&place, &other).unwrap();
        assert_eq!(Fingerprint::of(&other), stamp);
        assert_ne!(Fingerprint::of(&place), stamp);
        fs::write(&other, "longer").unwrap();
        assert_ne!(Fingerprint::of(&other), stamp);
    }
}

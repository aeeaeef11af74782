//! What a walk found, and the stamps of everything that decided about it.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::Stat;

use super::probe::LINKED;
use super::{AFTER, DEEPER, NO_TEXT, UNREADABLE};

/// What changed this shortly before it was looked at is looked at again: a clock's tick may hide
/// another change.
const RACY: Duration = Duration::from_millis(50);
/// Files that changed so shortly before a walk are read again.
pub(crate) const RACY_NANOSECONDS: i64 = 20_000_000;

/// Something that was skipped.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Skipped {
    /// What it is.
    pub path: PathBuf,
    /// Why.
    pub reason: String,
}

impl Skipped {
    /// Whether anything may be in it: it was not skipped by a rule, it could not be listed.
    pub fn hides(&self) -> bool {
        self.reason == NO_TEXT
            || [UNREADABLE, DEEPER, AFTER]
                .iter()
                .any(|start| self.reason.starts_with(start))
    }

    /// Whether it is a `SKILL.md` that is a link, which agents may read anyway.
    pub fn is_linked_file(&self) -> bool {
        self.reason == LINKED
    }
}

/// A folder that was listed, and its stamp at that time.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Listed {
    /// The folder.
    pub path: PathBuf,
    /// Its stamp; a new, removed or renamed entry changes it.
    pub stamp: Stamp,
}

/// Something that decided what was skipped, and its stamp at that time.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct WatchedPath {
    /// What it is.
    pub path: PathBuf,
    /// Its stamp, or the number of the error that kept it from being had: a link to nothing may
    /// become one that leads in a circle.
    pub stamp: Result<Stamp, i32>,
}

impl WatchedPath {
    /// What is at `path` now, behind links.
    pub fn new(path: PathBuf) -> Self {
        Self {
            stamp: Self::stamp_of(&path),
            path,
        }
    }

    /// Whether it changed so shortly before `now` that its stamp may hide another change.
    pub fn is_racy(&self, now: SystemTime) -> bool {
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
        // Users cannot set this one; a clock that runs ahead makes nothing racy forever.
        let apart = |stamp: Stamp| u128::from(stamp.changed.abs_diff(now));
        self.stamp
            .is_ok_and(|stamp| apart(stamp) <= RACY.as_nanos())
    }

    /// The stamp of what is at `path` now, behind links.
    pub(crate) fn stamp_of(path: &Path) -> Result<Stamp, i32> {
        match rustix::fs::stat(path) {
            Ok(stat) => Ok(Stamp::of(&stat)),
            Err(error) => Err(error.raw_os_error()),
        }
    }
}

/// Everything a walk came across, in order.
#[derive(Debug)]
pub struct Walked<T> {
    /// What became of each skill.
    pub skills: Vec<T>,
    /// What was skipped.
    pub skipped: Vec<Skipped>,
    /// The folders that were listed.
    pub listed: Vec<Listed>,
    /// What else decided that something was skipped.
    pub watched: Vec<WatchedPath>,
}

impl<T> Walked<T> {
    /// Passes over `path`, for a reason that no folder's stamp tells of when it goes.
    pub(super) fn skip(&mut self, path: PathBuf, reason: String) {
        self.watched.push(WatchedPath::new(path.clone()));
        self.skipped.push(Skipped { path, reason });
    }
}

/// When and how large a file or folder was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Stamp {
    /// Time of the last change of the content, in nanoseconds since 1970.
    pub modified: i64,
    /// Time of the last change of anything, permissions too; users cannot set it back.
    pub changed: i64,
    /// Size in bytes.
    pub size: u64,
    /// The file's number on its device.
    pub inode: u64,
}

/// The time in nanoseconds since 1970.
pub(crate) fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    now.and_then(|time| i64::try_from(time.as_nanos()).ok())
        .unwrap_or_default()
}

impl Stamp {
    /// Whether it was taken so shortly after a change that it may hide another one.
    pub(crate) fn is_racy(self, walked: i64) -> bool {
        self.modified > walked - RACY_NANOSECONDS
    }

    #[expect(
        clippy::cast_sign_loss,
        clippy::unnecessary_cast,
        clippy::cast_possible_wrap,
        reason = "the types of a stat differ by platform; equality is all that counts"
    )]
    pub(crate) fn of(stat: &Stat) -> Self {
        let nanoseconds =
            |seconds: i64, rest: i64| seconds.wrapping_mul(1_000_000_000).wrapping_add(rest);
        Self {
            modified: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            size: stat.st_size as u64,
            inode: stat.st_ino as u64,
        }
    }
}

//! What a walk came across, and what has to change for the answer to be another.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::probe::LINKED;
use super::{AFTER, DEEPER, NO_TEXT, Stamp, UNREADABLE};

/// What changed this shortly before it was looked at is looked at again: a clock's tick may hide
/// another change.
const RACY: Duration = Duration::from_millis(50);

/// Something that was passed over.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Skipped {
    /// What it is.
    pub path: PathBuf,
    /// Why.
    pub reason: String,
}

impl Skipped {
    /// Whether anything may be in it: nobody chose to pass it over, it could not be looked into.
    pub fn hides(&self) -> bool {
        self.reason == NO_TEXT
            || [UNREADABLE, DEEPER, AFTER]
                .iter()
                .any(|start| self.reason.starts_with(start))
    }

    /// Whether it is a `SKILL.md` that is a link, which agents may read all the same.
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

/// Something that decided what was passed over, and its stamp at that time.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Watched {
    /// What it is.
    pub path: PathBuf,
    /// Its stamp, or the number of the error that kept it from being had: a link to nothing may
    /// become one that leads in a circle.
    pub stamp: Result<Stamp, i32>,
}

impl Watched {
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
        // Nobody can set this one; a clock that runs ahead of ours makes nothing racy for ever.
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
    /// What was passed over.
    pub skipped: Vec<Skipped>,
    /// The folders that were listed.
    pub listed: Vec<Listed>,
    /// What has to change, beside those, for something to be passed over no longer.
    pub watched: Vec<Watched>,
}

impl<T> Walked<T> {
    /// Passes over `path`, for a reason that no folder's stamp tells of when it goes.
    pub(super) fn skip(&mut self, path: PathBuf, reason: String) {
        self.watched.push(Watched::new(path.clone()));
        self.skipped.push(Skipped { path, reason });
    }
}

//! What has to change, worked out before anything does. Pure: `--dry-run` prints this.

mod agreement;
mod conflict;
mod planner;
mod target_fs;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use skillyard_format::Digest;

pub use conflict::{Conflict, ConflictPolicy, ConflictReason, OnConflict};
pub use planner::plan;
pub use target_fs::{LinkTarget, TargetFs};

pub use crate::existing::{BlockingFile, ExistingEntry};

use crate::existing::ObservedEntry;
use crate::lockfile::{Locked, Lockfile};
use crate::scope::Scope;

/// One change in one folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanStep {
    /// The skill is put there; `replaces` says that something gives way.
    Put {
        /// The skill.
        name: String,
        /// The folder of skills.
        target: String,
        /// Its bytes.
        digest: Digest,
        /// Whether a link is put there instead of a copy.
        linked: bool,
        /// Whether something is there.
        replaces: bool,
    },
    /// The skill is taken away.
    Take {
        /// The skill.
        name: String,
        /// The folder of skills.
        target: String,
    },
}

impl PlanStep {
    /// The folder of skills, and the name in it.
    pub fn place(&self) -> (&str, &str) {
        let (Self::Put { target, name, .. } | Self::Take { target, name }) = self;
        (target, name)
    }

    /// Whether a link is put there.
    pub(crate) fn is_link(&self) -> bool {
        matches!(self, Self::Put { linked: true, .. })
    }
}

/// What happens to one skill as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkillChange {
    /// It was not there.
    Added {
        /// The new entry.
        to: Box<Locked>,
    },
    /// It has other bytes, another source or other folders.
    Changed {
        /// The entry so far.
        from: Box<Locked>,
        /// The new entry.
        to: Box<Locked>,
    },
    /// It is locked, and was not there, as after a checkout; the lock stays as it is.
    Restored {
        /// The entry.
        to: Box<Locked>,
    },
    /// Its folders are put right; the lock stays as it is.
    Repaired {
        /// The entry.
        to: Box<Locked>,
    },
    /// It goes.
    Removed {
        /// The entry so far.
        from: Box<Locked>,
    },
}

impl SkillChange {
    /// The skill's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Added { to }
            | Self::Changed { to, .. }
            | Self::Restored { to }
            | Self::Repaired { to } => &to.name,
            Self::Removed { from } => &from.name,
        }
    }
}

/// Everything that has to change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// The skills, sorted by name.
    pub changes: Vec<SkillChange>,
    /// The folders.
    pub steps: Vec<PlanStep>,
    /// The skills that are already as they should be.
    pub unchanged: Vec<String>,
    /// The skills that are left out because something is in the way.
    pub skipped: Vec<Conflict>,
    /// What is in the way, and is lost.
    pub given_up: Vec<Conflict>,
    /// What is in the way and not settled: nothing is done while there is one.
    pub conflicts: Vec<Conflict>,
    /// The lock afterwards.
    pub lock: Lockfile,
    /// What this machine has put into the folders afterwards.
    pub placed: Lockfile,
    /// What was put there once and is the project's or the user's own now, by its folder.
    pub let_go: Vec<(String, String)>,
    /// What was there before it was installed and counts as installed now, by its folder.
    pub taken_over: Vec<(String, String)>,
    /// What was there before it was installed and is replaced now, by its folder: what replaces it goes
    /// with the skill.
    pub replaced: Vec<(String, String)>,
    /// What was in the places of the steps, by folder and name.
    pub(crate) seen: BTreeMap<(String, String), ObservedEntry>,
}

/// How a scope is before anything changes.
#[derive(Debug, Clone, Default)]
pub struct InstalledState {
    /// What the lock names, which others may have changed: it comes with a checkout.
    pub lock: Lockfile,
    /// What this machine put into the folders when it last changed them.
    pub placed: Lockfile,
    /// Whether it wrote that down; else it is what the lock says.
    pub is_recorded: bool,
    /// The places, below the root, of what was there before it was installed.
    pub found: BTreeSet<PathBuf>,
    /// Who else has skills in the same folders.
    pub neighbours: Vec<NeighborScope>,
}

/// Another scope with the same folders: the home directory can be a project, too, and a variable can
/// put a folder of the user's agents into a project.
#[derive(Debug, Clone)]
pub struct NeighborScope {
    /// Which one.
    pub scope: Scope,
    /// What it has.
    pub lock: Lockfile,
}

impl InstalledState {
    /// The names of what this machine put there, and the lock does not name any more.
    pub fn dropped(&self) -> impl Iterator<Item = &str> {
        let placed = self.placed.skills().iter().map(|each| each.name.as_str());
        placed.filter(|name| self.lock.get(name).is_none())
    }

    /// What the lock says of a name, else what this machine put there.
    pub fn entry(&self, name: &str) -> Option<&Locked> {
        self.entries(name).next()
    }

    /// Whether a skill was there before it was installed, and not put there.
    pub(crate) fn was_found(&self, target: &str, name: &str) -> bool {
        self.found.contains(&Path::new(target).join(name))
    }

    /// What this machine put into the place of a name, as far as it knows.
    pub(crate) fn installed(&self, name: &str) -> Option<Digest> {
        let entry = self.placed.get(name).or_else(|| self.lock.get(name));
        entry.map(|entry| entry.digest)
    }

    /// What is or was to be in the place of a name.
    pub(crate) fn entries(&self, name: &str) -> impl Iterator<Item = &Locked> {
        [self.lock.get(name), self.placed.get(name)]
            .into_iter()
            .flatten()
    }
}

impl Plan {
    /// Whether nothing has to be done.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.steps.is_empty()
    }

    /// The names of the skills that are afterwards as it says.
    pub(crate) fn settled(&self) -> BTreeSet<&str> {
        let changed = self.changes.iter().map(SkillChange::name);
        let unchanged = self.unchanged.iter().map(String::as_str);
        changed.chain(unchanged).collect()
    }

    /// The names of the skills whose bytes are written somewhere.
    pub fn written(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match step {
            PlanStep::Put { name, .. } => Some(name.as_str()),
            PlanStep::Take { .. } => None,
        })
    }
}

/// What is to be.
#[derive(Debug, Clone, Default)]
pub struct DesiredState {
    /// Skills that are to be there, as they will be locked.
    pub present: Vec<Locked>,
    /// Skills that are to be in fewer folders, as they will be locked: what lies in the folders that
    /// are left is not looked at.
    pub fewer: Vec<Locked>,
    /// Names that are to be gone.
    pub absent: Vec<String>,
    /// Names that others took out of the lock: they go, too, unless somebody made them their own.
    pub dropped: Vec<String>,
    /// What is left out, and why, because that was found out before.
    pub left_out: Vec<Conflict>,
}

impl DesiredState {
    /// All names that it is about.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let present = self.present.iter().chain(&self.fewer);
        let present = present.map(|entry| &entry.name);
        let names = present.chain(&self.absent).chain(&self.dropped);
        names.map(String::as_str)
    }
}

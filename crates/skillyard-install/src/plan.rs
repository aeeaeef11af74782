//! What has to change, worked out before anything does. Pure: `--dry-run` prints this.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use skillyard_format::Digest;

use crate::lockfile::{Locked, Lockfile};

mod agreement;
mod planner;

pub use planner::plan;

/// What lies where a skill is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Occupant {
    /// Nothing.
    Nothing,
    /// A folder of plain files.
    Folder {
        /// Over all of them.
        digest: Digest,
        /// Over those that programs did not leave there.
        tidy: Digest,
    },
    /// A folder with a git repository in it, whose history is nowhere else.
    Repository,
    /// A link.
    Link(PathBuf),
    /// Something that cannot be a skill, and why.
    Other(String),
}

/// How the folders and the store are.
pub trait Sight {
    /// What lies where a skill is to be.
    fn occupant(&self, target: &str, name: &str) -> Occupant;
    /// What a link leads to, which should lead to these bytes.
    fn link_target(&self, path: &Path, digest: Digest) -> LinkTarget;
    /// Whether two targets are one folder, because one of them is a link to the other.
    fn is_same(&self, one: &str, other: &str) -> bool;
    /// Whether a checkout brought what lies where a skill is to be.
    fn is_tracked(&self, target: &str, name: &str) -> bool;
    /// Whether the store has these bytes: what can be had again is nobody's work.
    fn is_stored(&self, digest: Digest) -> bool;
    /// The folder of the store that a link to these bytes would lead to, if somebody edited it.
    fn edited_folder(&self, digest: Digest) -> Option<PathBuf>;
    /// Whether the place of a skill is the very folder that it comes from.
    fn is_source(&self, target: &str, entry: &Locked) -> bool;
    /// Whether these bytes have another digest where a skill lies, because no executable bit is kept
    /// there.
    fn is_shown_as(&self, target: &str, name: &str, digest: Digest, shown: Digest) -> bool;
    /// Whether it is what a power cut left of these bytes.
    fn is_left_of(&self, target: &str, name: &str, digest: Digest) -> bool;
}

/// What a link in a folder of skills leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkTarget {
    /// The skill in the store, byte for byte.
    Sound,
    /// The place of the skill in the store, where something is left over, or missing.
    Damaged,
    /// The place of the skill in the store, where somebody changed files.
    Edited,
    /// Somewhere else.
    Elsewhere,
}

/// How a conflict is settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnConflict {
    /// It is reported, and nothing is done.
    #[default]
    Report,
    /// What is there is replaced.
    Replace,
    /// What is there stays, and the skill is left out.
    Skip,
}

/// How conflicts are settled: some by name, all others alike.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settlement {
    others: OnConflict,
    named: BTreeMap<String, OnConflict>,
    moving: BTreeSet<String>,
}

impl From<OnConflict> for Settlement {
    fn from(others: OnConflict) -> Self {
        Self {
            others,
            ..Self::default()
        }
    }
}

impl Settlement {
    /// Settles what is in the way of one skill.
    pub fn settle(&mut self, name: &str, on_conflict: OnConflict) {
        self.named.insert(name.to_owned(), on_conflict);
    }

    /// Lets one skill come from another source than it is installed from, which somebody named. Its
    /// files are guarded as before.
    pub fn let_move(&mut self, name: &str) {
        self.moving.insert(name.to_owned());
    }

    /// Whether one skill may come from another source.
    fn may_move(&self, name: &str) -> bool {
        self.moving.contains(name) || self.replaces(name)
    }

    /// Whether what is in the way of one skill gives way.
    fn replaces(&self, name: &str) -> bool {
        self.of(name) == OnConflict::Replace
    }

    /// How what is in the way of one skill is settled.
    fn of(&self, name: &str) -> OnConflict {
        self.named.get(name).copied().unwrap_or(self.others)
    }
}

/// Why what is there cannot simply be replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// It was not put there by us.
    Foreign,
    /// It was, and then somebody changed these files.
    Edited(Vec<String>),
    /// It is not what the lock names, and nothing says what was put there.
    Unrecorded,
    /// It is a git repository of its own.
    Repository,
    /// It is a link that we did not make.
    Link(PathBuf),
    /// It is no folder of files that could be looked at.
    Unreadable(String),
    /// It is from another source.
    OtherSource(String),
    /// It is from another registry, where one name can be another skill.
    OtherRegistry {
        /// The one that it is locked from.
        locked: String,
        /// The one that has what would be put there.
        asked: String,
    },
    /// It is the folder that the skill comes from; it is never replaced.
    Source,
    /// Somebody edited the folder of the store that a link would lead to, through another link.
    EditedBehindLink(PathBuf),
    /// What it needs is left out.
    Without(String),
}

/// Something in the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The skill.
    pub name: String,
    /// The folder it was to be put into.
    pub target: String,
    /// What is in the way.
    pub obstacle: Obstacle,
}

/// One change in one folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
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

impl Step {
    /// Whether a link is put there.
    pub(crate) fn is_link(&self) -> bool {
        matches!(self, Self::Put { linked: true, .. })
    }
}

/// What happens to one skill as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
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

impl Change {
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
    pub changes: Vec<Change>,
    /// The folders.
    pub steps: Vec<Step>,
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
}

/// How a scope is before anything changes.
#[derive(Debug, Clone, Default)]
pub struct Before {
    /// What the lock names, which others may have changed: it comes with a checkout.
    pub lock: Lockfile,
    /// What this machine put into the folders when it last changed them.
    pub placed: Lockfile,
    /// Whether it wrote that down; else it is what the lock says.
    pub is_recorded: bool,
}

impl Before {
    /// The names of what this machine put there, and the lock does not name any more.
    pub fn dropped(&self) -> impl Iterator<Item = &str> {
        let placed = self.placed.skills().iter().map(|each| each.name.as_str());
        placed.filter(|name| self.lock.get(name).is_none())
    }

    /// What this machine put into the place of a name, as far as it knows.
    pub(crate) fn installed(&self, name: &str) -> Option<Digest> {
        let entry = self.placed.get(name).or_else(|| self.lock.get(name));
        entry.map(|entry| entry.digest)
    }

    /// What is or was to be in the place of a name.
    fn entries(&self, name: &str) -> impl Iterator<Item = &Locked> {
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

    /// The names of the skills whose bytes are written somewhere.
    pub fn written(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match step {
            Step::Put { name, .. } => Some(name.as_str()),
            Step::Take { .. } => None,
        })
    }
}

/// What is to be.
#[derive(Debug, Clone, Default)]
pub struct Wish {
    /// Skills that are to be there, as they will be locked.
    pub present: Vec<Locked>,
    /// Names that are to be gone.
    pub absent: Vec<String>,
    /// Names that others took out of the lock: they go, too, unless somebody made them their own.
    pub dropped: Vec<String>,
    /// What is left out, and why, because that was found out before.
    pub left_out: Vec<Conflict>,
}

impl Wish {
    /// All names that it is about.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let present = self.present.iter().map(|entry| &entry.name);
        let names = present.chain(&self.absent).chain(&self.dropped);
        names.map(String::as_str)
    }
}

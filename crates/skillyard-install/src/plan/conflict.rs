//! What is in the way of a skill, and how that is settled.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::BlockingFile;
use crate::scope::ScopeKind;
use crate::tree::LineEnds;

/// Why what is there cannot simply be replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConflictReason {
    /// It was not put there by us.
    Foreign,
    /// It was, and then somebody changed these files.
    Edited(Vec<String>),
    /// It was, and now its lines end otherwise, as git writes them on some machines.
    LineEnds(LineEnds),
    /// It is not what the lock names, and nothing says what was put there.
    Unrecorded,
    /// It is a git repository of its own.
    Repository,
    /// It is a link that we did not make.
    Link(PathBuf),
    /// It is no folder of files that could be looked at.
    Unreadable(String),
    /// Another scope has it there.
    OtherScope(ScopeKind),
    /// There is no folder that it could be put into, and none can be made.
    Blocked(BlockingFile),
    /// What is there lies behind this link, which leads to nothing.
    Dangling(PathBuf),
    /// No folder can be behind this link, which leads back to itself.
    Looping(PathBuf),
    /// What is there lies in this folder, which the user may not look into.
    Closed(PathBuf),
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
    /// The same, and it is not what is locked any more.
    SourceChanged,
    /// Somebody edited the folder of the store that a link would lead to, through another link.
    EditedBehindLink(PathBuf),
    /// What it needs is left out.
    Without(String),
}

impl ConflictReason {
    /// Whether it keeps everybody from the place, so that nothing can be replaced there.
    pub fn is_unreachable(&self) -> bool {
        matches!(
            self,
            Self::Blocked(_) | Self::Dangling(_) | Self::Looping(_) | Self::Closed(_)
        )
    }
}

/// Something in the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The skill.
    pub name: String,
    /// The folder it was to be put into.
    pub target: String,
    /// Where that lies, if not below the scope's root.
    pub folder: Option<PathBuf>,
    /// What is in the way.
    pub obstacle: ConflictReason,
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
pub struct ConflictPolicy {
    others: OnConflict,
    named: BTreeMap<String, OnConflict>,
    moving: BTreeSet<String>,
}

impl From<OnConflict> for ConflictPolicy {
    fn from(others: OnConflict) -> Self {
        Self {
            others,
            ..Self::default()
        }
    }
}

impl ConflictPolicy {
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
    pub(super) fn may_move(&self, name: &str) -> bool {
        self.moving.contains(name) || self.replaces(name)
    }

    /// Whether what is in the way of one skill gives way.
    pub(super) fn replaces(&self, name: &str) -> bool {
        self.of(name) == OnConflict::Replace
    }

    /// Whether what is in the way gives way, but for skills that are settled by name.
    pub(super) fn is_forced(&self) -> bool {
        self.others == OnConflict::Replace
    }

    /// How what is in the way of one skill is settled.
    pub(super) fn of(&self, name: &str) -> OnConflict {
        self.named.get(name).copied().unwrap_or(self.others)
    }
}

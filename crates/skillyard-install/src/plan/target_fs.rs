//! What is looked at before a plan is made: the places of skills, and the store.

use std::path::{Path, PathBuf};

use skillyard_format::Digest;

use crate::existing::ExistingEntry;
use crate::lockfile::Locked;
use crate::scope::Scope;

/// How the folders and the store are.
pub trait TargetFs {
    /// What lies where a skill is to be.
    fn occupant(&self, target: &str, name: &str) -> ExistingEntry;
    /// What a link leads to, which should lead to these bytes.
    fn link_target(&self, path: &Path, digest: Digest) -> LinkTarget;
    /// Whether a link where a skill is to be leads to the place of this skill in another target.
    fn leads_to(&self, target: &str, name: &str, link: &Path, other: &str) -> bool;
    /// Whether two targets are one folder, because one of them is a link to the other.
    fn is_same(&self, one: &str, other: &str) -> bool;
    /// Whether a target is the folder of skills that another scope means with one of its targets.
    fn is_shared(&self, target: &str, other: &Scope, others: &str) -> bool;
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
    /// Whether everything is there that a skill consists of, whatever else lies beside it.
    fn has_all_of(&self, target: &str, name: &str, digest: Digest) -> bool {
        let _ = (target, name, digest);
        false
    }
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

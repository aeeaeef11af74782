//! Files that a search must leave out.
//!
//! `Grep` and `Glob` are asked about a folder, and what lies in it may be denied. Whoever searches
//! asks about each file before it is looked into.

use skillyard_format::allowed_tools::ToolPattern;

use super::path::{PathPattern, Place};
use super::request::{ActiveSkill, DenyLayer, Surroundings, ToolList};
use super::rule::{Rule, Scope};
use super::tool::{self, FileUse, Kind};

/// What a tool does that must not see some files.
const READ: Kind = Kind::File(FileUse::Read);

/// The files that lists deny to those who read.
#[derive(Debug, Clone)]
pub struct Unseen {
    patterns: Vec<PathPattern>,
}

impl Unseen {
    /// What policies and `disallowed-tools` of the active skills deny.
    pub fn of(skills: &[ActiveSkill], policy: &[DenyLayer]) -> Self {
        let layers = policy.iter().map(|layer| &layer.tools);
        let lists = skills.iter().filter_map(|skill| match &skill.disallowed {
            ToolList::Declared(tools) => Some(tools),
            ToolList::Absent | ToolList::Unreadable => None,
        });
        let patterns = layers.chain(lists).flat_map(|tools| &tools.patterns);
        let reads = |each: &&ToolPattern| tool::kinds(&each.tool).contains(&READ);
        let scopes = patterns
            .filter(reads)
            .map(|each| Rule::denying(each, None).scope);
        let patterns = scopes.filter_map(|scope| match scope {
            Scope::Files(pattern) => Some(*pattern),
            _ => None,
        });
        Self {
            patterns: patterns.collect(),
        }
    }

    /// Whether nothing must be left out.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether the file must be left out, because it is denied or that cannot be told.
    pub fn has(&self, path: &str, world: &dyn Surroundings) -> bool {
        !self.is_empty()
            && Place::of(path, world)
                .is_none_or(|place| self.patterns.iter().any(|each| each.denies(&place, world)))
    }
}

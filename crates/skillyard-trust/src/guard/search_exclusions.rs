//! Files that a search must leave out.
//!
//! `Grep` and `Glob` are judged by a folder, and files in it may be denied. The caller
//! asks about each file before it is looked into.

use skillyard_format::allowed_tools::ToolPattern;

use crate::guard::path::{FilePath, PathPattern};
use crate::guard::request::{ActiveSkill, DenyLayer, GuardEnvironment, ToolList};
use crate::guard::rule::{RuleScope, ToolRule};
use crate::guard::tool::{self, FileUse, ToolKind};

/// What a tool does that must not see some files.
const READ: ToolKind = ToolKind::File(FileUse::Read);

/// The files that lists deny to those who read.
#[derive(Debug, Clone)]
pub struct SearchExclusions {
    patterns: Vec<PathPattern>,
}

impl SearchExclusions {
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
            .map(|each| ToolRule::denying(each, None).scope);
        let patterns = scopes.filter_map(|scope| match scope {
            RuleScope::Files(pattern) => Some(*pattern),
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

    /// Whether the file must be left out, because it is denied or unknown.
    pub fn has(&self, path: &str, world: &dyn GuardEnvironment) -> bool {
        !self.is_empty()
            && FilePath::of(path, world)
                .is_none_or(|place| self.patterns.iter().any(|each| each.denies(&place, world)))
    }
}

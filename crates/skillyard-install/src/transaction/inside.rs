//! Where a folder of skills really lies: a repository can bring links along.
//!
//! It is not enough that a link stays in the project. Git's own folder is in there, too, and a skill
//! that is written into it as `hooks` runs. So a link may lead to a folder that some agent reads
//! skills from, as `.claude/skills` often does to `.agents/skills`, and nowhere else.

use std::path::{Path, PathBuf};

use super::{Transaction, TransactionError, disk};
use crate::scope::{Scope, ScopeKind};
use crate::target::is_read_in_projects;

impl Transaction<'_> {
    /// Whether a target is a folder of skills of the scope, behind all links.
    pub(super) fn check_inside(&self, target: &str) -> Result<(), TransactionError> {
        check_inside(self.scope, target)
    }
}

/// Whether a target of a project is a folder of skills of that project, behind all links.
///
/// At home a link is the user's own.
pub fn check_inside(scope: &Scope, target: &str) -> Result<(), TransactionError> {
    if scope.kind != ScopeKind::Project {
        return Ok(());
    }
    let Some(link) = first_link(&scope.root, target) else {
        return Ok(());
    };
    let folder = scope.target(target);
    let failed = |source| disk(&folder, source);
    let root = scope.root.canonicalize().map_err(failed)?;
    // A link that leads nowhere is not the same as nothing.
    let existing = folder
        .ancestors()
        .find(|part| part.symlink_metadata().is_ok())
        .unwrap_or(&folder);
    let to = existing.canonicalize().map_err(failed)?;
    let to = match folder.strip_prefix(existing) {
        Ok(missing) if !missing.as_os_str().is_empty() => to.join(missing),
        _ => to,
    };
    let Ok(below) = to.strip_prefix(&root) else {
        let target = target.to_owned();
        return Err(TransactionError::Outside { target, to });
    };
    if below.to_str().is_some_and(is_read_in_projects) {
        return Ok(());
    }
    Err(TransactionError::NoSkillsBehind {
        link,
        to: below.to_owned(),
    })
}

/// The outermost link on the way to a target, below the project's root.
fn first_link(root: &Path, target: &str) -> Option<PathBuf> {
    let mut way = PathBuf::new();
    Path::new(target).components().find_map(|part| {
        way.push(part);
        let is_link = root.join(&way).is_symlink();
        is_link.then(|| way.clone())
    })
}

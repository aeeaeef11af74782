//! Where a folder of skills really lies: a repository can bring links along.
//!
//! It is not enough that a link stays in the project. Git's own folder is in there, too, and a skill
//! that is written into it as `hooks` runs. So a link may lead to a folder that some agent reads
//! skills from, as `.claude/skills` often does to `.agents/skills`, and nowhere else.

use std::io;
use std::path::{Path, PathBuf};

use skillyard_catalog::path_probe::{dangling_link, resolved};

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
    // A link may also lead to a folder that is made only with the first skill in it.
    let to = match folder.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => resolved(&folder),
        other => other.map_err(failed)?,
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

/// The folder to make for a target: behind a link to nothing it is the one that the link leads to,
/// written as the scope's root is.
pub(super) fn to_make(scope: &Scope, target: &str) -> PathBuf {
    let folder = scope.target(target);
    if dangling_link(&folder).is_none() {
        return folder;
    }
    let to = resolved(&folder);
    match to.strip_prefix(resolved(&scope.root)) {
        Ok(below) => scope.root.join(below),
        Err(_) => to,
    }
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

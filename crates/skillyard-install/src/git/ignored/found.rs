//! What is ignored of one skill.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::git::error::GitError;
use crate::material::around;

/// The files and folders of a skill that git ignores and does not have.
#[derive(Debug, Clone, Default)]
pub struct Ignored {
    /// By their paths in the skill's folder; those of folders end in `/`.
    paths: BTreeSet<String>,
    /// The files among it that are not ignored all the same.
    kept: BTreeSet<String>,
    pub(super) unasked: Option<Arc<Unasked>>,
}

/// That git did not say what it ignores.
#[derive(Debug, thiserror::Error)]
#[error("git could not be asked what it ignores in `{}`", repository.display())]
pub struct Unasked {
    /// The folder that the repository is for.
    pub repository: PathBuf,
    /// Why not.
    #[source]
    pub reason: GitError,
}

impl Ignored {
    /// Whether the file or folder at a path below the skill's is ignored; the folders above it are
    /// asked about first.
    pub fn has(&self, path: &str) -> bool {
        if self.paths.is_empty() {
            return false;
        }
        let is_named = |path: &str| self.paths.contains(&format!("{path}/"));
        if self.kept.is_empty() {
            return self.paths.contains(path) || is_named(path);
        }
        // A folder that is looked into for what is kept in it is ignored but for that.
        let is_ignored = self.paths.contains(path) || around(path).chain([path]).any(is_named);
        is_ignored && !self.keeps(path)
    }

    /// The same without these files of it.
    pub(crate) fn but_for<'p>(mut self, files: impl Iterator<Item = &'p str>) -> Self {
        self.kept.extend(files.map(str::to_owned));
        self
    }

    /// Whether a file, or one in a folder, is kept.
    fn keeps(&self, path: &str) -> bool {
        let below = format!("{path}/");
        let mut from = self.kept.range(below.clone()..);
        self.kept.contains(path) || from.next().is_some_and(|next| next.starts_with(&below))
    }

    /// All that is ignored, sorted; folders end in `/`.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(String::as_str)
    }

    /// Why it is only a guess, if it is one.
    pub fn unasked(&self) -> Option<&Arc<Unasked>> {
        self.unasked.as_ref()
    }

    /// Adds what one repository ignores of it, and that this is a guess.
    pub(super) fn add(&mut self, paths: BTreeSet<String>, unasked: Option<&Arc<Unasked>>) {
        // Where no list names anything, there is nothing to be asked.
        if !paths.is_empty() {
            self.unasked = self.unasked.take().or_else(|| unasked.cloned());
            self.paths.extend(paths);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_not_ignored_with_the_folder_around_it() {
        let ignored = Ignored {
            paths: [".env", "dist/", "x/y/"].map(str::to_owned).into(),
            ..Ignored::default()
        };
        let kept = ["SKILL.md", "dist/a/out.js", "dist.txt"];
        let ignored = ignored.but_for(kept.into_iter());
        for path in ["dist", "dist/a", "dist/a/out.js", "x", "SKILL.md"] {
            assert!(!ignored.has(path), "{path}");
        }
        for path in [".env", "dist/b", "dist/a/more.js", "x/y"] {
            assert!(ignored.has(path), "{path}");
        }
    }
}

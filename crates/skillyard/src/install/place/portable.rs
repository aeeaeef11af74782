//! Paths as the lock has them: in a project relative, so that they mean the same elsewhere.

use std::path::{Path, PathBuf};

use skillyard_catalog::surroundings::Surroundings;

use super::{Place, whole};

/// A project and the repository that it is part of, with no link in their paths.
#[derive(Debug)]
pub(super) struct Around {
    root: PathBuf,
    /// The project itself, where that is in none.
    repository: PathBuf,
}

impl Place {
    /// A path as the lock has it: relative in a project, so that it means the same elsewhere.
    pub(crate) fn portable(&self, path: &Path) -> String {
        self.portable_whole(&whole(path))
    }

    /// The same of a path whose last name says what it is, and so stays even if it is a link.
    pub(crate) fn portable_named(&self, path: &Path) -> String {
        match (path.parent(), path.file_name()) {
            (Some(folder), Some(name)) => self.portable_whole(&whole(folder).join(name)),
            _ => self.portable(path),
        }
    }

    /// The same of a path that has no link in it. What lies beside a project in its repository is
    /// checked out with it, and wherever that is.
    pub(crate) fn portable_whole(&self, whole: &Path) -> String {
        let around = self.around.get_or_init(|| self.around());
        let Some(Around { root, repository }) = around else {
            return whole.display().to_string();
        };
        if let Ok(below) = whole.strip_prefix(root) {
            return match below.to_str() {
                Some("") => ".".to_owned(),
                _ => format!("./{}", below.display()),
            };
        }
        let mut up = PathBuf::new();
        for folder in root.ancestors().skip(1) {
            if !folder.starts_with(repository) {
                break;
            }
            up.push("..");
            if let Ok(below) = whole.strip_prefix(folder) {
                // Joined with nothing, a path would end in a slash.
                up.extend(below.components());
                return up.display().to_string();
            }
        }
        whole.display().to_string()
    }

    /// A project and its repository; nothing in the user's scope, which is nobody else's.
    fn around(&self) -> Option<Around> {
        self.scope.manifest_file()?;
        let root = self.scope.root.canonicalize().ok()?;
        let surroundings = Surroundings {
            current: root.clone(),
            home: self.home.as_deref().map(whole),
            ..Surroundings::default()
        };
        let repository = surroundings.repository().unwrap_or(&root).to_owned();
        Some(Around { root, repository })
    }
}

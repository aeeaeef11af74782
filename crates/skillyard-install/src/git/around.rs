//! Which repositories folders lie in.

use std::path::{Path, PathBuf};

/// What lies around folders, of which many lie side by side: what is around those is looked at once.
#[derive(Debug, Default)]
pub(super) struct Around {
    /// The folder that the last one asked about lies in, if it is one, and what is around it.
    last: Option<(PathBuf, Option<RemoteLocation>)>,
}

/// Where a folder lies.
#[derive(Debug, Clone)]
struct RemoteLocation {
    /// With no link in its path.
    path: PathBuf,
    /// The root of its repository.
    root: Option<PathBuf>,
}

impl Around {
    /// The repository that a folder lies in, and the folder's path from its root, if that is text.
    pub(super) fn repository_of(&mut self, folder: &Path) -> Option<(PathBuf, Option<String>)> {
        let RemoteLocation { path, root } = self.place_of(folder)?;
        let root = root?;
        let below = path.strip_prefix(&root).ok()?.to_str().map(str::to_owned);
        Some((root, below))
    }

    fn place_of(&mut self, folder: &Path) -> Option<RemoteLocation> {
        let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_dir());
        let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
            return RemoteLocation::of(folder);
        };
        // One in the current folder has no parent to be looked at, and a link leads elsewhere.
        if parent.as_os_str().is_empty() || !is_folder(folder) {
            return RemoteLocation::of(folder);
        }
        if self.last.as_ref().is_none_or(|(last, _)| last != parent) {
            self.last = Some((parent.to_owned(), RemoteLocation::of(parent)));
        }
        let (_, around) = self.last.as_ref()?;
        let around = around.as_ref()?;
        let path = around.path.join(name);
        let root = if is_root(&path) {
            Some(path.clone())
        } else {
            around.root.clone()
        };
        Some(RemoteLocation { path, root })
    }
}

impl RemoteLocation {
    fn of(folder: &Path) -> Option<Self> {
        let path = folder.canonicalize().ok()?;
        let root = path.ancestors().find(|path| is_root(path));
        let root = root.map(Path::to_owned);
        Some(Self { path, root })
    }
}

/// Whether a repository begins in a folder.
fn is_root(folder: &Path) -> bool {
    folder.join(".git").symlink_metadata().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_lies_in_the_innermost_repository_around_it() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        for folder in [
            "a/.git",
            "a/skills/one",
            "a/skills/two/.git",
            "a/skills/two/x",
            "b/one",
        ] {
            std::fs::create_dir_all(place.join(folder)).unwrap();
        }
        std::os::unix::fs::symlink(place.join("a/skills/one"), place.join("b/link")).unwrap();
        let mut around = Around::default();
        let mut check = |folder: &str, expected: Option<(&str, &str)>| {
            let found = around.repository_of(&place.join(folder));
            let expected = expected.map(|(root, below)| (place.join(root), Some(below.to_owned())));
            assert_eq!(found, expected, "{folder}");
        };
        check("a/skills/one", Some(("a", "skills/one")));
        check("a/skills/two", Some(("a/skills/two", "")));
        check("a/skills/two/x", Some(("a/skills/two", "x")));
        check("b/one", None);
        check("b/link", Some(("a", "skills/one")));
        check("b/missing", None);
        check("a/skills/../skills/one", Some(("a", "skills/one")));
        check("a/skills/one/..", Some(("a", "skills")));
    }
}

//! Whether something is there, in a folder where a script may run.
//!
//! While one does, empty folders keep it from making what other programs obey: a repository, the
//! folder of an agent, a lock. They are nothing of the user's, and go with the script.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// The mode by which the sandbox knows its own folders.
const PLACEHOLDER: u32 = 0o1500;

/// Whether there is something, and not only what keeps a script from making it.
pub fn is_there(path: &Path) -> bool {
    path.exists() && !is_placeholder(path)
}

fn is_placeholder(path: &Path) -> bool {
    let found = path.symlink_metadata();
    let is_marked = found
        .is_ok_and(|found| found.is_dir() && found.permissions().mode() & 0o7777 == PLACEHOLDER);
    is_marked
        && path
            .read_dir()
            .is_ok_and(|mut entries| entries.next().is_none())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};

    use super::*;

    #[test]
    fn only_an_empty_folder_with_the_mark_is_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".claude");
        assert!(!is_there(&path));
        fs::create_dir(&path).unwrap();
        assert!(is_there(&path));
        fs::set_permissions(&path, Permissions::from_mode(PLACEHOLDER)).unwrap();
        assert!(!is_there(&path));
        fs::set_permissions(&path, Permissions::from_mode(0o700)).unwrap();
        fs::write(path.join("settings.json"), "").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(PLACEHOLDER)).unwrap();
        assert!(is_there(&path));
        fs::set_permissions(&path, Permissions::from_mode(0o700)).unwrap();
    }
}

//! What was only there for a change goes after it.
//!
//! What is found in a stage is compared with what was seen before the change, so that nobody's work is
//! thrown away. Half a skill would be taken for that, so a stage is renamed before it is removed.
//! What cannot be removed even so is hidden, no agent reads it, and `abandoned` finds it.

use std::io;
use std::path::{Path, PathBuf};

use skillyard_catalog::private_dir;

use crate::any_path::AnyPath;

/// How the name of a stage ends while it is removed.
const OVER: &str = "over";

/// Removes folders and files that were only there for the change.
pub(crate) fn throw_away(stages: &[AnyPath]) {
    for stage in stages {
        let over = over(stage);
        let _ = match stage.symlink_metadata() {
            // Mostly everything in it has taken its place. Else it goes in one step: half a skill
            // would be taken for somebody's.
            Ok(found) if found.is_dir() => std::fs::remove_dir(stage)
                .or_else(|_| std::fs::rename(stage, &over))
                .and_then(|()| remove_if_there(&over)),
            Ok(_) => std::fs::remove_file(stage),
            Err(_) => remove_if_there(&over),
        };
    }
}

fn remove_if_there(folder: &Path) -> io::Result<()> {
    if folder.symlink_metadata().is_err() {
        return Ok(());
    }
    private_dir::remove(folder)
}

/// What a stage is called while it is removed.
fn over(stage: &Path) -> PathBuf {
    // One that could not be removed before is called so already.
    if stage.extension().is_some_and(|extension| extension == OVER) {
        return stage.to_owned();
    }
    let mut name = stage.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(OVER);
    stage.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn what_a_killed_process_left_of_a_stage_goes_too() {
        let folder = tempfile::tempdir().unwrap();
        let stage = folder.path().join(".skillyard-7-7-0");
        let draft = folder.path().join(".skills.lock.tmp");
        let paths = [&stage, &draft].map(|path| AnyPath::from(path.clone()));
        for left in [stage.clone(), over(&stage)] {
            std::fs::create_dir_all(left.join("pdf/scripts")).unwrap();
            std::fs::write(left.join("pdf/scripts/run.sh"), "echo").unwrap();
            std::fs::write(&draft, "").unwrap();
            throw_away(&paths);
            let left = std::fs::read_dir(folder.path()).unwrap();
            assert_eq!(left.count(), 0);
        }
        std::fs::create_dir(&stage).unwrap();
        throw_away(&paths);
        assert!(!stage.exists());
    }

    #[test]
    fn what_is_read_only_goes_too_and_is_called_over_once() {
        let folder = tempfile::tempdir().unwrap();
        let stage = folder.path().join(".skillyard-7-7-0");
        assert_eq!(over(&over(&stage)), over(&stage));
        for left in [stage.clone(), over(&stage)] {
            for inner in ["pdf/scripts", "pdf/scripts/deep"] {
                std::fs::create_dir_all(left.join(inner)).unwrap();
                std::fs::write(left.join(inner).join("run.sh"), "echo").unwrap();
            }
            for inner in ["pdf/scripts/deep", "pdf/scripts", "pdf"] {
                let mode = Permissions::from_mode(0o555);
                std::fs::set_permissions(left.join(inner), mode).unwrap();
            }
            throw_away(&[left.into()]);
            let left = std::fs::read_dir(folder.path()).unwrap();
            assert_eq!(left.count(), 0);
        }
    }
}

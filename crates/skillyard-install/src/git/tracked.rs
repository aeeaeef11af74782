//! What a checkout brought along.

use std::path::Path;

use super::command::Git;
use super::watch::{LOCAL_LIMITS, SilenceLimits, look};

impl Git {
    /// Whether the repository around a folder has files in it under its control: then a checkout
    /// put them there, and another one takes them away. Where there is a repository and git does not
    /// answer, it may have them.
    pub fn tracks(&self, folder: &Path) -> bool {
        self.tracks_within(folder, LOCAL_LIMITS)
    }

    fn tracks_within(&self, folder: &Path, limits: SilenceLimits) -> bool {
        let Some(around) = folder.parent().and_then(|path| path.canonicalize().ok()) else {
            return false;
        };
        let is_root = |path: &&Path| path.join(".git").symlink_metadata().is_ok();
        let Some(root) = around.ancestors().find(is_root) else {
            return false;
        };
        let mut path = std::ffi::OsString::from(":(top,literal)");
        match (around.strip_prefix(root), folder.file_name()) {
            (Ok(below), Some(name)) => path.push(below.join(name)),
            _ => return false,
        }
        let repository = root.join(".git");
        let mut command = self.command(&repository);
        command.arg("--work-tree").arg(root);
        command.args(["ls-files", "-z", "--"]).arg(path);
        let files = look(&mut command, "list its files", &repository, limits);
        !files.is_ok_and(|files| files.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn a_repository_with_a_pipe_in_it_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path().join(".git");
        std::fs::create_dir_all(git.join("objects")).unwrap();
        std::fs::create_dir_all(git.join("refs")).unwrap();
        std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        let mode = Mode::RUSR | Mode::WUSR;
        mknodat(CWD, git.join("config"), FileType::Fifo, mode, 0).unwrap();
        let patience = SilenceLimits {
            first: Duration::from_millis(50),
            later: Duration::from_millis(50),
        };
        let skill = folder.path().join("skills/pdf");
        std::fs::create_dir_all(&skill).unwrap();
        assert!(Git::new(Path::new("git")).tracks_within(&skill, patience));
    }
}

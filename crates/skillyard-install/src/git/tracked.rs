//! What a checkout brought along.

use std::path::Path;

use super::command::{Git, run};

impl Git {
    /// Whether the repository around a folder has files in it under its control: then a checkout
    /// put them there, and another one takes them away. Where there is a repository and git does not
    /// answer, it may have them.
    pub fn tracks(&self, folder: &Path) -> bool {
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
        let mut command = self.command(&root.join(".git"));
        command.arg("--work-tree").arg(root);
        command.args(["ls-files", "-z", "--"]).arg(path);
        !run(&mut command, "list its files").is_ok_and(|files| files.is_empty())
    }
}

//! What git itself says that it ignores.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::git::command::Git;
use crate::git::error::GitError;
use crate::git::watch::{SilenceLimits, look};

/// Most folders that git is asked about by name; of more it tells all that it ignores.
const MAX_NAMED: usize = 100;

/// Settings by which no program is started for an object that is missing, also by a git that does not
/// know how to do without it.
const NOTHING_IS_FETCHED: [&str; 7] = [
    "core.sshCommand=false",
    "protocol.ext.allow=never",
    "protocol.file.allow=never",
    "protocol.git.allow=never",
    "protocol.http.allow=never",
    "protocol.https.allow=never",
    "protocol.ssh.allow=never",
];

/// How settings name the list that is the user's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// By a whole path, if they do.
    Whole,
    /// Perhaps by one that begins in the folder that git is started in.
    Relative,
}

impl Git {
    /// What a repository ignores in folders, and perhaps elsewhere, by the paths from its root;
    /// those of folders end in `/`.
    pub(super) fn ignored(
        &self,
        root: &Path,
        folders: &[&str],
        list: Naming,
        patience: SilenceLimits,
    ) -> Result<BTreeSet<String>, GitError> {
        let repository = root.join(".git");
        let mut command = self.command(&repository);
        // Its configuration is a stranger's, and nothing has to be fetched to answer this.
        for setting in NOTHING_IS_FETCHED {
            command.args(["-c", setting]);
        }
        if let Some(list) = self.relative_list(&repository, list, patience) {
            let mut setting = OsString::from("core.excludesFile=");
            setting.push(root.join(list));
            command.arg("-c").arg(setting);
        }
        command.arg("--work-tree").arg(root);
        command.args(["ls-files", "-z", "--others", "--ignored"]);
        command.args(["--exclude-standard", "--directory", "--"]);
        if folders.len() <= MAX_NAMED {
            for folder in folders {
                let mut path = OsString::from(":(top,literal)");
                path.push(folder);
                command.arg(path);
            }
        }
        let said = look(&mut command, "list what it ignores", &repository, patience)?;
        let paths = said.split(|byte| *byte == 0);
        // A name that is no text is none that a skill could have.
        let paths = paths.filter_map(|path| std::str::from_utf8(path).ok());
        let paths = paths.filter(|path| !path.is_empty());
        Ok(paths.map(str::to_owned).collect())
    }

    /// The user's list, where its path begins in the folder that git is started in: for whoever works
    /// in a repository that is its root, and here it is none in which a program could lie.
    fn relative_list(
        &self,
        repository: &Path,
        list: Naming,
        patience: SilenceLimits,
    ) -> Option<PathBuf> {
        if list == Naming::Whole {
            return None;
        }
        let mut command = self.command(repository);
        command.args(["config", "-z", "--path", "--get", "core.excludesFile"]);
        // It fails where none is named that holds here.
        let said = look(
            &mut command,
            "say what its settings are",
            repository,
            patience,
        )
        .ok()?;
        let path = said.split(|byte| *byte == 0).next()?;
        let path = PathBuf::from(OsStr::from_bytes(path));
        (path.is_relative() && !path.as_os_str().is_empty()).then_some(path)
    }
}

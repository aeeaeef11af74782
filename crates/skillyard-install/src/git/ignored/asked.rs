//! What git itself says that it ignores.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use crate::git::command::Git;
use crate::git::error::GitError;
use crate::git::watch::{Patience, look};

/// Most folders that git is asked about by name; of more it tells all that it ignores.
const MOST_NAMED: usize = 100;

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

impl Git {
    /// What a repository ignores in folders, and perhaps elsewhere, by the paths from its root;
    /// those of folders end in `/`.
    pub(super) fn ignored(
        &self,
        root: &Path,
        folders: &[&str],
        patience: Patience,
    ) -> Result<BTreeSet<String>, GitError> {
        let repository = root.join(".git");
        let mut command = self.command(&repository);
        // Its configuration is a stranger's, and nothing has to be fetched to answer this.
        for setting in NOTHING_IS_FETCHED {
            command.args(["-c", setting]);
        }
        command.arg("--work-tree").arg(root);
        command.args(["ls-files", "-z", "--others", "--ignored"]);
        command.args(["--exclude-standard", "--directory", "--"]);
        if folders.len() <= MOST_NAMED {
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
}

//! What git ignores in a folder: whoever checks the repository out anew does not have it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::around::Around;
use super::command::Git;
use super::watch::{PATIENCE_HERE, look};
use crate::material::around as folders_around;

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

/// The files and folders of a skill that git ignores and does not have.
#[derive(Debug, Clone, Default)]
pub struct Ignored(BTreeSet<String>);

impl Ignored {
    /// Whether the file or folder at a path below the skill's is ignored; the folders above it are
    /// asked about first.
    pub fn has(&self, path: &str) -> bool {
        !self.0.is_empty() && (self.0.contains(path) || self.0.contains(&format!("{path}/")))
    }

    /// What of all that a repository ignores lies in one folder. Nothing where all of the folder is
    /// ignored, or the file that makes it a skill: whoever means it cannot mean it without them.
    fn below(all: &BTreeSet<String>, folder: &str) -> Self {
        let is_ignored = |path: &str| all.contains(&format!("{path}/"));
        if folders_around(folder).chain([folder]).any(is_ignored) {
            return Self::default();
        }
        let start = match folder {
            "" => String::new(),
            folder => format!("{folder}/"),
        };
        let paths = all.range(start.clone()..);
        let paths = paths.map_while(|path| path.strip_prefix(&start));
        let paths: BTreeSet<String> = paths.map(str::to_owned).collect();
        if ["SKILL.md", "skill.md"]
            .iter()
            .any(|file| paths.contains(*file))
        {
            return Self::default();
        }
        Self(paths)
    }
}

impl Git {
    /// What the repositories around folders ignore in each of them. Nothing where there is no
    /// repository, or git does not answer.
    pub fn ignored_in<P: AsRef<Path>>(&self, folders: &[P]) -> Vec<Ignored> {
        let mut answers = vec![Ignored::default(); folders.len()];
        let mut repositories: BTreeMap<PathBuf, Vec<(usize, String)>> = BTreeMap::new();
        let mut around = Around::default();
        for (at, folder) in folders.iter().enumerate() {
            if let Some((root, below)) = around.repository_of(folder.as_ref()) {
                repositories.entry(root).or_default().push((at, below));
            }
        }
        for (root, asked) in repositories {
            let all = self.ignored(&root, &asked);
            for (at, below) in asked {
                answers[at] = Ignored::below(&all, &below);
            }
        }
        answers
    }

    /// What a repository ignores in folders, and perhaps elsewhere, by the paths from its root;
    /// those of folders end in `/`.
    fn ignored(&self, root: &Path, asked: &[(usize, String)]) -> BTreeSet<String> {
        let repository = root.join(".git");
        let mut command = self.command(&repository);
        // Its configuration is a stranger's, and nothing has to be fetched to answer this.
        for setting in NOTHING_IS_FETCHED {
            command.args(["-c", setting]);
        }
        command.arg("--work-tree").arg(root);
        command.args(["ls-files", "-z", "--others", "--ignored"]);
        command.args(["--exclude-standard", "--directory", "--"]);
        if asked.len() <= MOST_NAMED {
            for (_, below) in asked {
                let mut path = OsString::from(":(top,literal)");
                path.push(below);
                command.arg(path);
            }
        }
        let what = "list what it ignores";
        let said = look(&mut command, what, &repository, PATIENCE_HERE).unwrap_or_default();
        let paths = said.split(|byte| *byte == 0);
        // A name that is no text is none that a skill could have.
        let paths = paths.filter_map(|path| std::str::from_utf8(path).ok());
        let paths = paths.filter(|path| !path.is_empty());
        paths.map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ignored_as_a_whole_is_meant_as_a_whole() {
        let all = ["a/.env", "a/dist/", "b/", "c/SKILL.md", "c/x", "ab"];
        let all: BTreeSet<String> = all.map(str::to_owned).into();
        let below = |folder| Ignored::below(&all, folder);
        assert!(below("a").has(".env") && below("a").has("dist"));
        assert!(!below("a").has("dist/x") && !below("a").has("SKILL.md"));
        assert!(below("").has("a/.env") && below("").has("b"));
        for whole in ["b", "b/inner", "c", "d"] {
            assert!(below(whole).0.is_empty(), "{whole}");
        }
    }
}

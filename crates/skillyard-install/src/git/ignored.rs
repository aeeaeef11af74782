//! Which files of a folder git ignores: a fresh checkout of the repository does not have them.
//!
//! If git cannot be asked, all files are taken, and [`Ignored::unasked`] says why.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use skillyard_format::package::archive::is_junk;

use super::command::Git;
use super::error::GitError;
use super::watch::{LOCAL_LIMITS, SilenceLimits, look};
use crate::source_path::around;
use crate::tree::{Ignored, Unasked};

/// Git is started for at most this number of repositories inside one folder.
const MAX_INNER_REPOSITORIES: usize = 20;
/// At most this number of entries of one folder is searched for repositories; no skill has as many.
const MAX_ENTRIES: usize = 100_000;
/// At most this number of folders is passed to git by name; for more, git lists all that it ignores.
const MAX_NAMED: usize = 100;

/// Settings that keep git from starting a program to fetch a missing object, also for versions that do
/// not know `GIT_NO_LAZY_FETCH`.
const NOTHING_IS_FETCHED: [&str; 7] = [
    "core.sshCommand=false",
    "protocol.ext.allow=never",
    "protocol.file.allow=never",
    "protocol.git.allow=never",
    "protocol.http.allow=never",
    "protocol.https.allow=never",
    "protocol.ssh.allow=never",
];

/// Asks git what it ignores in folders of this machine.
#[derive(Debug, Clone, Default)]
pub struct Ignoring {
    git: Option<Git>,
}

impl Ignoring {
    /// With a git, if there is one.
    pub fn new(git: Option<Git>) -> Self {
        Self { git }
    }

    /// What the repositories around and inside each folder ignore in it.
    pub fn in_folders<P: AsRef<Path> + Sync>(&self, folders: &[P]) -> Vec<Ignored> {
        self.within(folders, LOCAL_LIMITS)
    }

    /// What the repositories around each folder ignore in it.
    pub fn around<P: AsRef<Path>>(&self, folders: &[P]) -> Vec<Ignored> {
        self.ask_around(folders, LOCAL_LIMITS)
    }

    fn within<P: AsRef<Path> + Sync>(&self, folders: &[P], limits: SilenceLimits) -> Vec<Ignored> {
        let mut answers = self.ask_around(folders, limits);
        let all = folders.par_iter().zip(&mut answers);
        all.for_each(|(folder, answer)| self.ask_inside(folder.as_ref(), limits, answer));
        answers
    }

    fn ask_around<P: AsRef<Path>>(&self, folders: &[P], limits: SilenceLimits) -> Vec<Ignored> {
        let mut answers = vec![Ignored::default(); folders.len()];
        let mut asked: BTreeMap<PathBuf, Vec<(usize, String)>> = BTreeMap::new();
        for (at, folder) in folders.iter().enumerate() {
            match repository_of(folder.as_ref()) {
                Some((root, Some(below))) => asked.entry(root).or_default().push((at, below)),
                Some((root, None)) => answers[at].fail(&root, GitError::NotText),
                None => {}
            }
        }
        for (repository, folders) in asked {
            let below: Vec<&str> = folders.iter().map(|(_, below)| below.as_str()).collect();
            match self.ask(&repository, &below, limits) {
                Ok(all) => {
                    for (at, below) in &folders {
                        answers[*at].paths.extend(in_folder(&all, below));
                    }
                }
                Err(reason) => {
                    let reason = Box::new(reason);
                    let unasked = Arc::new(Unasked { repository, reason });
                    for (at, _) in &folders {
                        answers[*at].unasked = Some(Arc::clone(&unasked));
                    }
                }
            }
        }
        answers
    }

    /// Adds what repositories inside a folder ignore, such as submodules.
    fn ask_inside(&self, folder: &Path, limits: SilenceLimits, answer: &mut Ignored) {
        let Ok(folder) = folder.canonicalize() else {
            return;
        };
        let Some(inner) = inner_repositories(&folder, MAX_ENTRIES, |path| answer.has(path)) else {
            answer.fail(&folder, GitError::TooManyEntries(MAX_ENTRIES));
            return;
        };
        if inner.len() > MAX_INNER_REPOSITORIES {
            let reason = GitError::TooManyRepositories(MAX_INNER_REPOSITORIES);
            answer.fail(&folder, reason);
        }
        for path in inner.iter().take(MAX_INNER_REPOSITORIES) {
            let root = folder.join(path);
            match self.ask(&root, &[""], limits) {
                Ok(all) => {
                    let below = all.iter().map(|each| format!("{path}/{each}"));
                    answer.paths.extend(below);
                }
                Err(reason) => answer.fail(&root, reason),
            }
        }
    }

    fn ask(
        &self,
        root: &Path,
        folders: &[&str],
        limits: SilenceLimits,
    ) -> Result<BTreeSet<String>, GitError> {
        let git = self.git.as_ref().ok_or(GitError::Missing)?;
        git.ignored(root, folders, limits)
    }
}

impl Git {
    /// What a repository ignores in folders, and perhaps elsewhere, by paths from its root; those of
    /// folders end in `/`.
    fn ignored(
        &self,
        root: &Path,
        folders: &[&str],
        limits: SilenceLimits,
    ) -> Result<BTreeSet<String>, GitError> {
        let repository = root.join(".git");
        let mut command = self.command(&repository);
        // The configuration of the repository is not trusted, and nothing needs to be fetched.
        for setting in NOTHING_IS_FETCHED {
            command.args(["-c", setting]);
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
        let listed = look(&mut command, "list what it ignores", &repository, limits)?;
        let paths = listed.split(|byte| *byte == 0);
        // No file of a skill has a name that is not text.
        let paths = paths.filter_map(|path| std::str::from_utf8(path).ok());
        let paths = paths.filter(|path| !path.is_empty());
        Ok(paths.map(str::to_owned).collect())
    }
}

/// The root of the repository around a folder, and the folder's path below it if that is text.
fn repository_of(folder: &Path) -> Option<(PathBuf, Option<String>)> {
    let path = folder.canonicalize().ok()?;
    let root = path.ancestors().find(|path| is_repository(path))?;
    let below = path.strip_prefix(root).ok()?;
    Some((root.to_owned(), below.to_str().map(str::to_owned)))
}

fn is_repository(folder: &Path) -> bool {
    folder.join(".git").symlink_metadata().is_ok()
}

/// What of all that a repository ignores lies in one folder. Nothing if the folder or its `SKILL.md` is
/// ignored itself: a user who names such a folder means it with its files.
fn in_folder(all: &BTreeSet<String>, folder: &str) -> BTreeSet<String> {
    let is_ignored = |path: &str| all.contains(&format!("{path}/"));
    if around(folder).chain([folder]).any(is_ignored) {
        return BTreeSet::new();
    }
    let start = match folder {
        "" => String::new(),
        folder => format!("{folder}/"),
    };
    let paths = all.range(start.clone()..);
    let paths = paths.map_while(|path| path.strip_prefix(&start));
    let paths: BTreeSet<String> = paths.map(str::to_owned).collect();
    if paths.contains("SKILL.md") || paths.contains("skill.md") {
        return BTreeSet::new();
    }
    paths
}

/// The paths of the repositories inside a folder, sorted; none if the folder has too many entries.
/// What is left out or never delivered is skipped, and no link is followed.
fn inner_repositories(
    root: &Path,
    max_entries: usize,
    is_left_out: impl Fn(&str) -> bool,
) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut open = vec![String::new()];
    let mut left = max_entries;
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(root.join(&folder)).into_iter().flatten();
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|name| !is_junk(name)) else {
                continue;
            };
            left = left.checked_sub(1)?;
            let path = match folder.as_str() {
                "" => name.to_owned(),
                folder => format!("{folder}/{name}"),
            };
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !is_left_out(&path) {
                if is_repository(&entry.path()) {
                    found.push(path.clone());
                }
                open.push(path);
            }
        }
    }
    found.sort_unstable();
    Some(found)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    fn ignoring() -> Ignoring {
        Ignoring::new(Some(Git::new(Path::new("git"))))
    }

    #[test]
    fn an_ignore_file_that_is_a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let git = root.join(".git");
        for path in [".git/objects", ".git/refs", ".git/info", "pdf"] {
            std::fs::create_dir_all(root.join(path)).unwrap();
        }
        std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        std::fs::write(git.join("info/exclude"), ".env\n").unwrap();
        std::fs::write(root.join("pdf/.env"), "TOKEN=secret\n").unwrap();
        std::fs::write(root.join("pdf/SKILL.md"), "").unwrap();
        let ask = |milliseconds| {
            let limits = SilenceLimits {
                first: Duration::from_millis(milliseconds),
                later: Duration::from_millis(milliseconds),
            };
            ignoring().within(&[root.join("pdf")], limits).remove(0)
        };
        let answer = ask(60_000);
        assert!(answer.has(".env") && answer.unasked().is_none());
        let mode = Mode::RUSR | Mode::WUSR;
        mknodat(CWD, root.join(".gitignore"), FileType::Fifo, mode, 0).unwrap();
        let answer = ask(50);
        let reason = answer
            .unasked()
            .and_then(|unasked| unasked.reason.downcast_ref());
        assert!(matches!(reason, Some(GitError::Silent { .. })));
        assert!(!answer.has(".env") && !answer.has("SKILL.md"));
    }

    #[test]
    fn git_is_started_for_a_limited_number_of_repositories() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let add = |number: usize| {
            let inner = root.join(format!("pdf/{number:02}"));
            std::fs::create_dir_all(inner.join(".git/objects")).unwrap();
            std::fs::create_dir_all(inner.join(".git/refs")).unwrap();
            std::fs::write(inner.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
            std::fs::write(inner.join("a.key"), "").unwrap();
        };
        (0..MAX_INNER_REPOSITORIES).for_each(add);
        std::fs::write(root.join("pdf/03/.gitignore"), "*.key\n").unwrap();
        let ask = || ignoring().in_folders(&[root.join("pdf")]).remove(0);
        let answer = ask();
        assert!(answer.unasked().is_none() && answer.has("03/a.key") && !answer.has("04/a.key"));
        add(MAX_INNER_REPOSITORIES);
        let answer = ask();
        let reason = answer
            .unasked()
            .and_then(|unasked| unasked.reason.downcast_ref());
        assert!(matches!(reason, Some(GitError::TooManyRepositories(_))));
        assert!(answer.has("03/a.key"));
    }

    #[test]
    fn the_search_for_repositories_is_limited() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a/b/c", "d/e", "node_modules/f"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let is_whole = |max, is_left_out: fn(&str) -> bool| {
            inner_repositories(folder.path(), max, is_left_out).is_some()
        };
        assert!(is_whole(5, |_| false));
        assert!(!is_whole(4, |_| false));
        assert!(is_whole(3, |path| path == "a"));
    }

    #[test]
    fn a_folder_that_is_ignored_itself_is_taken_whole() {
        let all = ["a/.env", "a/dist/", "b/", "c/SKILL.md", "c/x", "ab"];
        let all: BTreeSet<String> = all.map(str::to_owned).into();
        let below = |folder: &str| Ignored {
            paths: in_folder(&all, folder),
            unasked: None,
        };
        assert!(below("a").has(".env") && below("a").has("dist"));
        assert!(!below("a").has("dist/x") && !below("a").has("SKILL.md"));
        assert!(below("").has("a/.env") && below("").has("b"));
        for whole in ["b", "b/inner", "c", "d"] {
            assert!(below(whole).paths().next().is_none(), "{whole}");
        }
    }

    #[test]
    fn a_folder_belongs_to_the_innermost_repository_around_it() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        for folder in ["a/.git", "a/skills/one", "a/skills/two/.git", "b/one"] {
            std::fs::create_dir_all(place.join(folder)).unwrap();
        }
        std::os::unix::fs::symlink(place.join("a/skills/one"), place.join("b/link")).unwrap();
        let check = |folder: &str, expected: Option<(&str, &str)>| {
            let found = repository_of(&place.join(folder));
            let expected = expected.map(|(root, below)| (place.join(root), Some(below.to_owned())));
            assert_eq!(found, expected, "{folder}");
        };
        check("a/skills/one", Some(("a", "skills/one")));
        check("a/skills/two", Some(("a/skills/two", "")));
        check("b/one", None);
        check("b/link", Some(("a", "skills/one")));
        check("b/missing", None);
        check("a/skills/one/..", Some(("a", "skills")));
    }
}

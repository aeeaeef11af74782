//! What git ignores in a folder: whoever checks the repository out anew does not have it.
//!
//! Where git cannot be asked, what lists of ignored files name counts as ignored, those of the
//! repository and those of the user. That may be committed all the same, so that whoever goes by it is
//! told that it is a guess.

mod asked;
mod below;
mod everywhere;
mod inner;
mod listed;
mod settings;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use self::asked::Naming;
use super::around::Around;
use super::command::Git;
use super::error::GitError;
use super::watch::{PATIENCE_HERE, Patience};
use crate::material::around;

pub use everywhere::SettingsPlaces;

/// The files and folders of a skill that git ignores and does not have.
#[derive(Debug, Clone, Default)]
pub struct Ignored {
    /// By their paths in the skill's folder; those of folders end in `/`.
    paths: BTreeSet<String>,
    /// The files among it that are not ignored all the same.
    kept: BTreeSet<String>,
    unasked: Option<Arc<Unasked>>,
}

/// That git did not say what it ignores.
#[derive(Debug, thiserror::Error)]
#[error("git could not be asked what it ignores in `{}`", repository.display())]
pub struct Unasked {
    /// The folder that the repository is for.
    pub repository: PathBuf,
    /// Why not.
    #[source]
    pub reason: GitError,
}

impl Ignored {
    /// Whether the file or folder at a path below the skill's is ignored; the folders above it are
    /// asked about first.
    pub fn has(&self, path: &str) -> bool {
        if self.paths.is_empty() {
            return false;
        }
        let is_named = |path: &str| self.paths.contains(&format!("{path}/"));
        if self.kept.is_empty() {
            return self.paths.contains(path) || is_named(path);
        }
        // A folder that is looked into for what is kept in it is ignored but for that.
        let is_ignored = self.paths.contains(path) || around(path).chain([path]).any(is_named);
        is_ignored && !self.keeps(path)
    }

    /// The same without these files of it.
    pub(crate) fn but_for<'p>(mut self, files: impl Iterator<Item = &'p str>) -> Self {
        self.kept.extend(files.map(str::to_owned));
        self
    }

    /// Whether a file, or one in a folder, is kept.
    fn keeps(&self, path: &str) -> bool {
        let below = format!("{path}/");
        let mut from = self.kept.range(below.clone()..);
        self.kept.contains(path) || from.next().is_some_and(|next| next.starts_with(&below))
    }

    /// All that is ignored, sorted; folders end in `/`.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(String::as_str)
    }

    /// Why it is only a guess, if it is one.
    pub fn unasked(&self) -> Option<&Arc<Unasked>> {
        self.unasked.as_ref()
    }

    fn add(&mut self, paths: BTreeSet<String>, unasked: Option<&Arc<Unasked>>) {
        // Where no list names anything, there is nothing to be asked.
        if !paths.is_empty() {
            self.unasked = self.unasked.take().or_else(|| unasked.cloned());
            self.paths.extend(paths);
        }
    }
}

/// What a repository is asked.
struct Question {
    /// For which of the folders.
    at: usize,
    place: Place,
    /// Whether there are more repositories in the folder than git is started for.
    is_beyond: bool,
}

/// What is asked, by the roots of the repositories.
type Questions = BTreeMap<PathBuf, Vec<Question>>;
/// The number of a folder, the root of a repository, where the folder lies to it, and whether it is one
/// too many.
type Asked = (usize, PathBuf, Place, bool);

/// Where a folder lies to a repository.
enum Place {
    /// In it, at this path from its root.
    Inside(String),
    /// Around it, which lies at this path in the folder.
    Around(String),
}

impl Place {
    /// The path in the repository that is asked about.
    fn below(&self) -> &str {
        match self {
            Self::Inside(path) => path,
            Self::Around(_) => "",
        }
    }

    /// What of all that the repository ignores lies in the folder.
    fn ignored(&self, all: &BTreeSet<String>) -> BTreeSet<String> {
        match self {
            Self::Inside(path) => in_folder(all, path),
            Self::Around(inner) => all.iter().map(|path| format!("{inner}/{path}")).collect(),
        }
    }
}

/// Who says what is ignored in folders of this machine: its git, if it has one, and lists where that
/// does not answer.
#[derive(Debug, Clone, Default)]
pub struct Ignoring {
    git: Option<Git>,
    places: SettingsPlaces,
}

impl Ignoring {
    /// A git, and where its settings are.
    pub fn new(git: Option<Git>, places: SettingsPlaces) -> Self {
        Self { git, places }
    }

    /// What the repositories around folders, and those in them, ignore in each of them. Nothing where
    /// there is no repository.
    pub fn in_folders<P: AsRef<Path> + Sync>(&self, folders: &[P]) -> Vec<Ignored> {
        self.within(folders, PATIENCE_HERE)
    }

    /// What the repositories around folders ignore in each of them. To look for those in many folders
    /// takes as long as to read all of them, which tells as well whether there are any.
    pub fn around<P: AsRef<Path>>(&self, folders: &[P]) -> Vec<Ignored> {
        self.asked_around(folders, PATIENCE_HERE)
    }

    fn within<P: AsRef<Path> + Sync>(&self, folders: &[P], patience: Patience) -> Vec<Ignored> {
        let mut answers = self.asked_around(folders, patience);
        let inner = folders.par_iter().zip(&answers).map(|(folder, ignored)| {
            // What is left out as a whole need not be looked through.
            inner::repositories(folder.as_ref(), |path| ignored.has(path))
        });
        let inner: Vec<_> = inner.collect();
        let mut asked = Vec::new();
        for (at, (found, is_whole)) in inner.into_iter().enumerate() {
            if !is_whole {
                let repository = folders[at].as_ref().to_owned();
                let reason = GitError::TooManyEntries(below::MOST);
                answers[at].unasked = Some(Arc::new(Unasked { repository, reason }));
            }
            for (number, (root, path)) in found.into_iter().enumerate() {
                asked.push((at, root, Place::Around(path), number >= inner::MOST_ASKED));
            }
        }
        self.answer(by_root(asked), patience, &mut answers);
        answers
    }

    fn asked_around<P: AsRef<Path>>(&self, folders: &[P], patience: Patience) -> Vec<Ignored> {
        let mut answers = vec![Ignored::default(); folders.len()];
        let mut around = Around::default();
        let mut asked = Vec::new();
        for (at, folder) in folders.iter().enumerate() {
            match around.repository_of(folder.as_ref()) {
                Some((root, Some(below))) => asked.push((at, root, Place::Inside(below), false)),
                // What git would answer could not be told apart from other names.
                Some((repository, None)) => {
                    let reason = GitError::NotText;
                    answers[at].unasked = Some(Arc::new(Unasked { repository, reason }));
                }
                None => {}
            }
        }
        self.answer(by_root(asked), patience, &mut answers);
        answers
    }

    /// Adds the answers to questions to what is known of folders.
    fn answer(&self, questions: Questions, patience: Patience, answers: &mut [Ignored]) {
        for (root, asked) in questions {
            let below: Vec<&str> = asked.iter().map(|each| each.place.below()).collect();
            let said = match &self.git {
                Some(_) if asked.iter().all(|each| each.is_beyond) => {
                    Err(GitError::TooManyRepositories(inner::MOST_ASKED))
                }
                Some(git) => {
                    let naming = if listed::is_relative(&root, &self.places) {
                        Naming::Relative
                    } else {
                        Naming::Whole
                    };
                    git.ignored(&root, &below, naming, patience)
                }
                None => Err(GitError::Missing),
            };
            let (all, unasked, is_whole) = match said {
                Ok(all) => (all, None, true),
                Err(reason) => {
                    let (all, is_whole) = listed::ignored(&root, &below, &self.places);
                    let repository = root;
                    (
                        all,
                        Some(Arc::new(Unasked { repository, reason })),
                        is_whole,
                    )
                }
            };
            for Question { at, place, .. } in asked {
                answers[at].add(place.ignored(&all), unasked.as_ref());
                if !is_whole {
                    answers[at].unasked.clone_from(&unasked);
                }
            }
        }
    }
}

fn by_root(all: Vec<Asked>) -> Questions {
    let mut questions = Questions::new();
    for (at, root, place, is_beyond) in all {
        let question = Question {
            at,
            place,
            is_beyond,
        };
        questions.entry(root).or_default().push(question);
    }
    questions
}

/// What of all that a repository ignores lies in one folder. Nothing where all of the folder is
/// ignored, or the file that makes it a skill: whoever means it cannot mean it without them.
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
    let is_skill = |file: &&str| paths.contains(*file);
    if ["SKILL.md", "skill.md"].iter().any(is_skill) {
        return BTreeSet::new();
    }
    paths
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    fn ignoring() -> Ignoring {
        let git = Git::new(Path::new("git"));
        Ignoring::new(Some(git), SettingsPlaces::default())
    }

    #[test]
    fn what_is_ignored_as_a_whole_is_meant_as_a_whole() {
        let all = ["a/.env", "a/dist/", "b/", "c/SKILL.md", "c/x", "ab"];
        let all: BTreeSet<String> = all.map(str::to_owned).into();
        let below = |folder| Ignored {
            paths: in_folder(&all, folder),
            ..Ignored::default()
        };
        assert!(below("a").has(".env") && below("a").has("dist"));
        assert!(!below("a").has("dist/x") && !below("a").has("SKILL.md"));
        assert!(below("").has("a/.env") && below("").has("b"));
        for whole in ["b", "b/inner", "c", "d"] {
            assert!(below(whole).paths.is_empty(), "{whole}");
        }
    }

    #[test]
    fn what_is_kept_is_not_ignored_with_the_folder_around_it() {
        let ignored = Ignored {
            paths: [".env", "dist/", "x/y/"].map(str::to_owned).into(),
            ..Ignored::default()
        };
        let kept = ["SKILL.md", "dist/a/out.js", "dist.txt"];
        let ignored = ignored.but_for(kept.into_iter());
        for path in ["dist", "dist/a", "dist/a/out.js", "x", "SKILL.md"] {
            assert!(!ignored.has(path), "{path}");
        }
        for path in [".env", "dist/b", "dist/a/more.js", "x/y"] {
            assert!(ignored.has(path), "{path}");
        }
    }

    #[test]
    fn a_list_that_is_a_pipe_is_not_waited_for() {
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
            let patience = Patience {
                first: Duration::from_millis(milliseconds),
                later: Duration::from_millis(milliseconds),
            };
            ignoring().within(&[root.join("pdf")], patience).remove(0)
        };
        let answer = ask(60_000);
        assert!(answer.has(".env") && answer.unasked().is_none());
        let mode = Mode::RUSR | Mode::WUSR;
        mknodat(CWD, root.join(".gitignore"), FileType::Fifo, mode, 0).unwrap();
        let answer = ask(50);
        let reason = answer.unasked().map(|unasked| &unasked.reason);
        assert!(matches!(reason, Some(GitError::Silent { .. })));
        // Whatever the other list says, this one can be read.
        assert!(answer.has(".env") && !answer.has("SKILL.md"));
    }

    #[test]
    fn git_is_not_started_for_any_number_of_repositories() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for number in 0..inner::MOST_ASKED + 2 {
            let inner = root.join(format!("pdf/{number:02}"));
            std::fs::create_dir_all(inner.join(".git/objects")).unwrap();
            std::fs::create_dir_all(inner.join(".git/refs")).unwrap();
            std::fs::write(inner.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
            std::fs::write(inner.join("a.key"), "").unwrap();
        }
        let ask = || ignoring().in_folders(&[root.join("pdf")]).remove(0);
        // Those that have nothing to ignore need not be asked.
        assert!(ask().unasked().is_none());
        std::fs::write(root.join("pdf/03/.gitignore"), "*.key\n").unwrap();
        let answer = ask();
        assert!(answer.unasked().is_none() && answer.has("03/a.key") && !answer.has("04/a.key"));
        std::fs::write(root.join("pdf/21/.gitignore"), "*.key\n").unwrap();
        let answer = ask();
        let reason = answer.unasked().map(|unasked| &unasked.reason);
        assert!(matches!(reason, Some(GitError::TooManyRepositories(_))));
        assert!(answer.has("21/a.key"));
    }
}

//! What git ignores in a folder: whoever checks the repository out anew does not have it.
//!
//! Where git cannot be asked, what lists of ignored files name counts as ignored, those of the
//! repository and those of the user. That may be committed all the same, so that whoever goes by it is
//! told that it is a guess.

mod asked;
mod below;
mod everywhere;
mod found;
mod inner;
mod listed;
mod place;
mod settings;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use self::asked::Naming;
use self::place::Place;
use super::around::Around;
use super::command::Git;
use super::error::GitError;
use super::watch::{PATIENCE_HERE, SilenceLimits};

pub use everywhere::SettingsPlaces;
pub use found::{Ignored, Unasked};

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

    fn within<P: AsRef<Path> + Sync>(
        &self,
        folders: &[P],
        patience: SilenceLimits,
    ) -> Vec<Ignored> {
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
                asked.push((at, root, Place::Around(path), number >= inner::MAX_ASKED));
            }
        }
        self.answer(by_root(asked), patience, &mut answers);
        answers
    }

    fn asked_around<P: AsRef<Path>>(&self, folders: &[P], patience: SilenceLimits) -> Vec<Ignored> {
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
    fn answer(&self, questions: Questions, patience: SilenceLimits, answers: &mut [Ignored]) {
        for (root, asked) in questions {
            let below: Vec<&str> = asked.iter().map(|each| each.place.below()).collect();
            let said = match &self.git {
                Some(_) if asked.iter().all(|each| each.is_beyond) => {
                    Err(GitError::TooManyRepositories(inner::MAX_ASKED))
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
            let patience = SilenceLimits {
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
        for number in 0..inner::MAX_ASKED + 2 {
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

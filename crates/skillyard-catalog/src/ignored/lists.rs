//! The lists of a whole tree of folders.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::Match;
use ignore::gitignore::Gitignore;

use super::{Exceptions, Letters, Patterns};

/// What lists of patterns say is ignored in a folder and all below it; the nearest has the last word.
#[derive(Debug)]
pub struct Lists {
    top: PathBuf,
    /// What the lists are called, the last word last.
    names: Vec<PathBuf>,
    /// Lists for all of it, by which it goes where no other says anything; the last word last.
    farthest: Vec<(PathBuf, Exceptions)>,
    letters: Letters,
    /// The patterns of each folder that something was asked of.
    known: Mutex<HashMap<PathBuf, Known>>,
}

/// The patterns of a folder, and whether these are all.
type Known = (Option<Arc<Gitignore>>, bool);

impl Lists {
    /// The lists of these names, the last of which has the last word; those above `top` do not count.
    pub fn below(top: &Path, names: &[&str]) -> Self {
        Self {
            top: top.to_owned(),
            names: names.iter().map(PathBuf::from).collect(),
            farthest: Vec::new(),
            letters: Letters::Differ,
            known: Mutex::default(),
        }
    }

    /// The same with lists that lie elsewhere, for all of it, the last of which has the last word of them.
    /// Those of which it is a guess whether they count come first, and take nothing back.
    #[must_use]
    pub fn after(self, guessed: Vec<PathBuf>, own: Option<PathBuf>) -> Self {
        let guessed = guessed.into_iter();
        let guessed = guessed.map(|list| (list, Exceptions::PassedOver));
        let own = own.map(|list| (list, Exceptions::Heeded));
        Self {
            farthest: guessed.chain(own).collect(),
            ..self
        }
    }

    /// The same where small letters and capitals are the same.
    #[must_use]
    pub fn with_letters_alike(self) -> Self {
        Self {
            letters: Letters::AreAlike,
            ..self
        }
    }

    /// Whether all lists that were asked could be read to their ends; nobody knows what else they name.
    pub fn are_whole(&self) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.values().all(|(_, is_whole)| *is_whole)
    }

    /// Whether a path is ignored, which no folder around it is.
    pub fn has(&self, path: &Path, is_folder: bool) -> bool {
        let around = path.ancestors().skip(1);
        let mut around = around.take_while(|each| each.starts_with(&self.top));
        let said =
            around.find_map(
                |folder| match self.patterns(folder)?.matched(path, is_folder) {
                    Match::None => None,
                    Match::Ignore(_) => Some(true),
                    Match::Whitelist(_) => Some(false),
                },
            );
        said.unwrap_or(false)
    }

    fn patterns(&self, folder: &Path) -> Option<Arc<Gitignore>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || {
            let farthest = self.farthest.iter().filter(|_| folder == self.top);
            let farthest = farthest.map(|(list, exceptions)| (list.as_path(), *exceptions));
            let own = self.names.iter();
            let own = own.map(|list| (list.as_path(), Exceptions::Heeded));
            let read = Patterns::of(folder, farthest.chain(own), self.letters);
            (read.all.map(Arc::new), read.is_whole)
        };
        let known = known.entry(folder.to_owned()).or_insert_with(read);
        known.0.clone()
    }
}

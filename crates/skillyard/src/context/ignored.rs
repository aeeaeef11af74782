//! What git ignores in folders, and what is said where it could not be asked.

use std::error::Error;
use std::path::Path;
use std::sync::{Arc, PoisonError};

use skillyard_install::git::{Git, Ignoring};
use skillyard_install::tree::{Ignored, Unasked};

use super::Context;
use crate::error::CommandError;

/// What the user can do where git could not be asked.
pub(crate) const GIT_NEEDED: &str =
    "Run it where `git` works and all of the repository is at hand, or take such files away first";

impl Context {
    /// The git of this machine, if it has one.
    pub(crate) fn git(&self) -> Option<Git> {
        let program = self.environment.program("git")?;
        Some(Git::new(&program).with_proxies(&self.environment.proxies))
    }

    /// Who says what git ignores.
    pub(crate) fn ignoring(&self) -> Ignoring {
        Ignoring::new(self.git())
    }

    /// What git ignores in a folder; warns if git could not be asked.
    pub(crate) fn ignored_in(&self, folder: &Path) -> Ignored {
        let ignored = self.asked(folder);
        if let Some(unasked) = ignored.unasked() {
            self.tell_unasked(unasked);
        }
        ignored
    }

    /// The same for who hands the folder on, which cannot be undone: fails if git could not be asked.
    pub(crate) fn surely_ignored_in(&self, folder: &Path) -> Result<Ignored, CommandError> {
        let ignored = self.asked(folder);
        match ignored.unasked() {
            None => Ok(ignored),
            Some(unasked) => Err(CommandError::Unasked {
                folder: folder.to_owned(),
                source: Arc::clone(unasked),
            }),
        }
    }

    fn asked(&self, folder: &Path) -> Ignored {
        let mut ignored = self.ignoring().in_folders(&[folder]);
        ignored.pop().unwrap_or_default()
    }

    /// Tells, once for each repository, that nothing was left out because git ignores it.
    pub(crate) fn tell_unasked(&self, unasked: &Unasked) {
        let told = self.doubted.lock();
        let mut told = told.unwrap_or_else(PoisonError::into_inner);
        if !told.insert(unasked.repository.clone()) {
            return;
        }
        self.printer.warn(&guessed(unasked));
        self.printer.note(&format!("hint: {GIT_NEEDED}"));
    }
}

/// The warning that git could not be asked.
pub(crate) fn guessed(unasked: &Unasked) -> String {
    format!(
        "{}; all files are taken, also those that it may ignore",
        in_words(unasked)
    )
}

/// That git could not be asked, and why.
pub(crate) fn in_words(unasked: &Unasked) -> String {
    let mut text = unasked.to_string();
    let mut source = unasked.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

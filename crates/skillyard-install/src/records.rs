//! The files of a scope, which a command reads more than once.
//!
//! Others may change them while it runs, so they are read each time; what they mean is worked out
//! again only where their text is another one.

use std::sync::{Mutex, OnceLock, PoisonError};

use crate::lockfile::{Lockfile, LockfileError};
use crate::manifest::{Manifest, ManifestError};
use crate::plan::NeighborScope;
use crate::scope::Scope;
use crate::text::text_if_there;

/// The lock and the manifest of one scope.
#[derive(Debug, Default)]
pub struct Records {
    /// The lock when it was first read.
    first: OnceLock<Lockfile>,
    lock: ParsedCache<Lockfile>,
    manifest: ParsedCache<Manifest>,
    beside: Vec<Scope>,
}

impl Records {
    /// The same where other scopes have their skills in the same folders.
    #[must_use]
    pub fn beside(others: Vec<Scope>) -> Self {
        Self {
            beside: others,
            ..Self::default()
        }
    }

    /// What the other scopes have there. Where a lock cannot be read, who changes that scope is told.
    pub(crate) fn neighbours(&self) -> Vec<NeighborScope> {
        let neighbours = self.beside.iter().filter_map(|scope| {
            let path = scope.lock_file();
            let text = Lockfile::text_of(&path).ok()??;
            Some(NeighborScope {
                scope: scope.clone(),
                lock: Lockfile::parse(&text, &path).ok()?,
            })
        });
        neighbours.collect()
    }

    /// What is installed; nothing where there is no lock.
    pub fn lock(&self, scope: &Scope) -> Result<Lockfile, LockfileError> {
        let path = scope.lock_file();
        let lock = match Lockfile::text_of(&path)? {
            Some(text) => self.lock.of(text, |text| Lockfile::parse(text, &path))?,
            None => Lockfile::default(),
        };
        self.first.get_or_init(|| lock.clone());
        Ok(lock)
    }

    /// The lock that a command started from; nothing if it has not read it yet.
    pub fn first_lock(&self) -> Option<&Lockfile> {
        self.first.get()
    }

    /// What this machine put into the folders, whatever others wrote into the lock since. What
    /// cannot be read says nothing.
    pub fn placed(&self, scope: &Scope) -> Option<Lockfile> {
        let path = scope.placed_file()?;
        let text = text_if_there(&path).ok()??;
        // Mostly it says what the lock says, which is known already.
        let known = self.lock.known(&text);
        known.or_else(|| Lockfile::parse(&text, &path).ok())
    }

    /// What the project wants; the user's scope has no manifest.
    pub fn manifest(&self, scope: &Scope) -> Result<Option<Manifest>, ManifestError> {
        let Some(path) = scope.manifest_file() else {
            return Ok(None);
        };
        let text = Manifest::text_of(&path)?;
        let manifest = self
            .manifest
            .of(text, |text| Manifest::parse(text, &path))?;
        Ok(Some(manifest))
    }
}

/// The last text of a file, and what it meant.
#[derive(Debug)]
struct ParsedCache<T>(Mutex<Option<(String, T)>>);

impl<T> Default for ParsedCache<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Clone> ParsedCache<T> {
    /// What a text meant, if it was the last one.
    fn known(&self, text: &str) -> Option<T> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = last.as_ref().filter(|(known, _)| known == text);
        last.map(|(_, meaning)| meaning.clone())
    }

    fn of<E>(&self, text: String, parse: impl FnOnce(&str) -> Result<T, E>) -> Result<T, E> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, meaning)) = last.as_ref().filter(|(known, _)| *known == text) {
            return Ok(meaning.clone());
        }
        let meaning = parse(&text)?;
        *last = Some((text, meaning.clone()));
        Ok(meaning)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_understood_once() {
        let remembered = ParsedCache::default();
        let read = |text: &str, meaning: Result<i32, ()>| remembered.of(text.into(), |_| meaning);
        assert_eq!(read("a", Ok(1)), Ok(1));
        assert_eq!(read("a", Ok(2)), Ok(1));
        assert_eq!(read("b", Ok(3)), Ok(3));
        assert_eq!(read("a", Ok(4)), Ok(4));
        // A failure is not remembered, and forgets nothing.
        assert_eq!(read("c", Err(())), Err(()));
        assert_eq!(read("a", Ok(5)), Ok(4));
    }

    #[test]
    fn what_others_changed_is_seen() {
        let place = tempfile::tempdir().unwrap();
        let scope = Scope::project(place.path(), &place.path().join("home"));
        let records = Records::default();
        assert_eq!(records.lock(&scope).unwrap(), Lockfile::default());
        let manifest = scope.manifest_file().unwrap();
        std::fs::write(&manifest, "[skills]\na = \"./a\"\n").unwrap();
        let wanted = |records: &Records| {
            let manifest = records.manifest(&scope).unwrap().unwrap();
            manifest.skills().len()
        };
        assert_eq!(wanted(&records), 1);
        std::fs::write(&manifest, "[skills]\na = \"./a\"\nb = \"./b\"\n").unwrap();
        assert_eq!(wanted(&records), 2);
        std::fs::remove_file(&manifest).unwrap();
        assert_eq!(wanted(&records), 0);
        std::fs::write(scope.lock_file(), "version = 9").unwrap();
        assert!(records.lock(&scope).is_err());
    }
}

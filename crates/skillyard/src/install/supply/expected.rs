//! What will be asked of sources, said to them beforehand.

use std::collections::HashMap;

use skillyard_install::lockfile::Locked;
use skillyard_install::reference::{LocalKind, LocalReference, Reference};

use super::{Meaning, Supply};

impl Supply<'_> {
    /// Tells each source which skills will be asked for, so that it is not asked for one after the
    /// other, and opens those on the network at once.
    pub(crate) fn expect(&mut self, references: &[Reference]) {
        let folders = references.iter().filter_map(|reference| match reference {
            Reference::Local(LocalReference {
                path,
                kind: LocalKind::Folder,
            }) if path.is_dir() => Some(path.clone()),
            _ => None,
        });
        self.sources.ask_git(folders.collect());
        // What is wrong is said when it is asked for.
        let meanings = references.iter().filter_map(|each| self.meaning(each).ok());
        let meanings: Vec<Meaning> = meanings.collect();
        self.expect_meanings(meanings);
    }

    /// The same of skills as they are locked.
    pub(crate) fn expect_locked(&mut self, entries: &[&Locked]) {
        let meanings = entries.iter().filter_map(|each| self.as_locked(each).ok());
        let meanings: Vec<Meaning> = meanings.map(|(_, meaning)| meaning).collect();
        self.expect_meanings(meanings);
    }

    fn expect_meanings(&mut self, meanings: Vec<Meaning>) {
        self.sources.open_together(meanings.iter());
        let mut sources: HashMap<String, Vec<Meaning>> = HashMap::new();
        for meaning in meanings {
            if let Ok(key) = meaning.source() {
                sources.entry(key).or_default().push(meaning);
            }
        }
        for meanings in sources.into_values().filter(|each| each.len() > 1) {
            // A range can mean several states of one source.
            let mut states: HashMap<_, Vec<Meaning>> = HashMap::new();
            for meaning in meanings {
                if let Ok(at) = self.sources.position(&meaning) {
                    states.entry(at).or_default().push(meaning);
                }
            }
            for meanings in states.into_values().filter(|each| each.len() > 1) {
                let paths = meanings.iter().map(|each| each.reference.path().to_owned());
                let paths: Vec<String> = paths.collect();
                if let Ok(material) = self.sources.open(&meanings[0]) {
                    material.expect(&paths);
                }
            }
        }
    }
}

//! What will be asked of sources, said to them beforehand.

use std::collections::HashMap;

use skillyard_install::reference::{Local, LocalKind, Reference};

use super::{Meaning, Supply};

impl Supply<'_> {
    /// Tells each source which skills will be asked for, so that it is not asked for one after the
    /// other.
    pub(crate) fn expect(&mut self, references: &[Reference]) {
        let folders = references.iter().filter_map(|reference| match reference {
            Reference::Local(Local {
                path,
                kind: LocalKind::Folder,
            }) if path.is_dir() => Some(path.clone()),
            _ => None,
        });
        self.sources.ask_git(folders.collect());
        let mut sources: HashMap<String, Vec<Meaning>> = HashMap::new();
        for reference in references {
            // What is wrong is said when it is asked for.
            let Ok(meaning) = self.meaning(reference) else {
                continue;
            };
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

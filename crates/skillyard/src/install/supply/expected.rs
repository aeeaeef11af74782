//! What will be asked of sources, said to them beforehand.

use std::collections::HashMap;

use skillyard_install::reference::Reference;

use super::{Meaning, Supply};

impl Supply<'_> {
    /// Tells each source which skills will be asked for, so that it is not asked for one after the
    /// other.
    pub(crate) fn expect(&mut self, references: &[Reference]) {
        let mut sources: HashMap<String, (Meaning, Vec<String>)> = HashMap::new();
        for reference in references {
            // What is wrong is said when it is asked for.
            let Ok(meaning) = self.meaning(reference) else {
                continue;
            };
            let path = meaning.reference.path().to_owned();
            if let Ok(key) = meaning.source() {
                let (_, paths) = sources.entry(key).or_insert((meaning, Vec::new()));
                paths.push(path);
            }
        }
        for (meaning, paths) in sources.into_values().filter(|(_, paths)| paths.len() > 1) {
            if let Ok(material) = self.sources.open(&meaning) {
                material.expect(&paths);
            }
        }
    }
}

//! A skill where the file system keeps no executable bits: its files are all executable, or none is.

use skillyard_format::Digest;
use skillyard_format::package::TreeDigest;

use super::Tree;

impl Tree {
    /// The digests that its files have where all look alike.
    pub(crate) fn alike(&self) -> [Digest; 2] {
        let mut digests = [TreeDigest::default(), TreeDigest::default()];
        for file in &self.files {
            let content = Digest::of(&file.bytes);
            for (digest, executable) in digests.iter_mut().zip([false, true]) {
                digest.add(&file.path, executable, content);
            }
        }
        digests.map(TreeDigest::finish)
    }

    /// The same with the executable bits that another tree has for the same paths.
    pub(crate) fn with_modes_of(mut self, other: &Self) -> Self {
        for file in &mut self.files {
            if let Some(other) = other.get(&file.path) {
                file.executable = other.executable;
            }
        }
        self.digest = super::digest(&self.files);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::TreeFile;

    fn tree(skill: bool, script: bool) -> Tree {
        let files = [("SKILL.md", skill), ("run.sh", script)].map(|(path, executable)| TreeFile {
            path: path.to_owned(),
            executable,
            bytes: path.as_bytes().to_vec(),
        });
        Tree::new(files.into()).unwrap()
    }

    #[test]
    fn files_look_alike_where_no_bit_is_kept() {
        let installed = tree(false, true);
        for shown in [tree(false, false), tree(true, true)] {
            assert!(installed.alike().contains(&shown.digest()));
            assert_eq!(shown.with_modes_of(&installed), installed);
        }
        // What differs from file to file is kept somewhere, and somebody's.
        assert!(!installed.alike().contains(&tree(true, false).digest()));
    }
}

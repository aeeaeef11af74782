//! The files of a skill by their content, and their tree digest.

use skillyard_format::package::{Digest, TreeDigest};

/// The files of a skill by their content.
#[derive(Debug, Default)]
pub struct FileDigests {
    /// The regular files.
    pub files: Vec<FileDigest>,
    /// What programs left behind that only use the skill, and what is left out; no part of the tree
    /// digest.
    pub litter: Vec<String>,
    /// Links, with the digests of where they lead.
    pub(super) links: Vec<(Vec<u8>, Digest)>,
    /// Regular files with names that nobody can be given.
    pub(super) nameless: Vec<(Vec<u8>, bool, Digest)>,
    /// Pipes and the like, with the digests of what they are.
    pub(super) specials: Vec<(String, Digest)>,
    /// Links, pipes and the like, of which nothing is read.
    pub others: Vec<String>,
    /// The files with names that nobody can be given, as they can be shown.
    pub unnamed: Vec<String>,
}

impl FileDigests {
    /// The digest of a file, if it is one of the skill.
    pub fn of(&self, path: &str) -> Option<Digest> {
        let found = self.files.iter().find(|file| file.path == path);
        found.map(|file| file.digest)
    }

    /// The tree digest.
    pub fn tree(&self) -> Digest {
        let mut tree = TreeDigest::default();
        for file in &self.files {
            tree.add(&file.path, file.executable, file.digest);
        }
        for (path, executable, content) in &self.nameless {
            tree.add(path, *executable, *content);
        }
        for (path, leads) in &self.links {
            tree.add_link(path, *leads);
        }
        for (path, kind) in &self.specials {
            tree.add_special(path, *kind);
        }
        tree.finish()
    }
}

/// One regular file of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDigest {
    /// The path below the skill's root.
    pub path: String,
    /// Whether its owner may execute the file.
    pub executable: bool,
    /// The digest of its content.
    pub digest: Digest,
}

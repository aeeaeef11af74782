//! The files of a skill, as a signature sees them.

use std::collections::BTreeMap;

use skillyard_format::package::TreeDigest;
use skillyard_format::{Digest, Document, Skill};

use super::statement::StatementError;

/// The file that holds a skill's signature.
pub const SIGNATURE_FILE: &str = "skill.oms.sig";

/// What Model Signing leaves out of every signature unless it is told otherwise.
pub(super) const GIT_PATHS: [&str; 4] = [".git", ".gitattributes", ".github", ".gitignore"];

/// The files of a skill.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    files: BTreeMap<String, TreeFile>,
    irregular: Vec<String>,
    nameless: Vec<String>,
    litter: Vec<String>,
    instructions: Option<Vec<u8>>,
    bundle: Option<Vec<u8>>,
}

/// One regular file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeFile {
    /// Whether its owner may execute it.
    pub executable: bool,
    /// The digest of its content.
    pub digest: Digest,
}

impl Tree {
    /// A skill that nobody signed: only what its `SKILL.md` says about itself matters, unless a
    /// policy revokes content.
    pub fn unsigned(instructions: Option<&[u8]>) -> Self {
        Self {
            instructions: instructions.map(<[u8]>::to_vec),
            ..Self::default()
        }
    }

    /// Adds a regular file; `path` is relative to the skill's root and separated by `/`.
    pub fn add(&mut self, path: &str, executable: bool, content: &[u8]) {
        if path == SIGNATURE_FILE {
            self.bundle = Some(content.to_vec());
            return;
        }
        // Where there are two, only this one says who the skill is, as when it is loaded.
        let is_first = path == "SKILL.md" || self.instructions.is_none();
        if path.eq_ignore_ascii_case("SKILL.md") && is_first {
            self.instructions = Some(content.to_vec());
        }
        self.add_digest(path, executable, Digest::of(content));
    }

    /// Adds a regular file by its digest, where its content need not be kept in memory; not for
    /// `SKILL.md` and the signature, whose bytes are needed.
    pub fn add_digest(&mut self, path: &str, executable: bool, digest: Digest) {
        // No skill is delivered with a repository, and none is run from it.
        if path.split('/').any(|part| part == ".git") {
            return;
        }
        let file = TreeFile { executable, digest };
        if self.files.insert(path.to_owned(), file).is_some() {
            // Two files of one name are not a tree that anybody signed.
            self.irregular.push(path.to_owned());
        }
    }

    /// Notes something that is no regular file, such as a link: no signature covers it.
    pub fn add_irregular(&mut self, path: &str) {
        self.irregular.push(path.to_owned());
    }

    /// Notes a file whose name is no text: no signature can list it.
    pub fn add_nameless(&mut self, path: &str) {
        self.nameless.push(path.to_owned());
    }

    /// Notes what machines and programs leave behind: it is not signed, and no skill is delivered with it.
    pub fn add_litter(&mut self, path: &str) {
        self.litter.push(path.to_owned());
    }

    /// What machines and programs left behind.
    pub fn litter(&self) -> &[String] {
        &self.litter
    }

    /// The same without what machines and programs left behind.
    #[must_use]
    pub fn tidied(mut self) -> Self {
        self.litter.clear();
        self
    }

    /// The files, without the signature and without litter.
    pub fn files(&self) -> impl Iterator<Item = (&str, TreeFile)> {
        self.files.iter().map(|(path, file)| (path.as_str(), *file))
    }

    /// What no signature covers: the first thing that is no regular file, or has no name that is text.
    pub(super) fn check_regular(&self) -> Result<(), StatementError> {
        if let Some(path) = self.irregular.first() {
            return Err(StatementError::Irregular(path.clone()));
        }
        match self.nameless.first() {
            Some(path) => Err(StatementError::Nameless(path.clone())),
            None => Ok(()),
        }
    }

    pub(super) fn get(&self, path: &str) -> Option<TreeFile> {
        self.files.get(path).copied()
    }

    /// The bytes of the signature, if there is one.
    pub fn bundle(&self) -> Option<&[u8]> {
        self.bundle.as_deref()
    }

    /// The tree digest without the signature.
    pub fn digest(&self) -> Digest {
        let mut tree = TreeDigest::default();
        for (path, file) in &self.files {
            tree.add(path, file.executable, file.digest);
        }
        tree.finish()
    }

    /// The skill's name and version as its own `SKILL.md` says them; without a name there it is
    /// called like its folder.
    pub fn identity(&self, folder: Option<&str>) -> Option<(String, Option<String>)> {
        let document = Document::parse(self.instructions.as_deref()?);
        let skill = Skill::from_document(&document, folder)?;
        Some((
            skill.name.clone().into_owned(),
            skill.version().map(str::to_owned),
        ))
    }
}

/// Whether Model Signing leaves the path out by default.
pub(super) fn is_git_path(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or_default();
    GIT_PATHS.contains(&first)
}

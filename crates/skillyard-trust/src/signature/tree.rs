//! The files of a skill, as a signature sees them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use skillyard_format::package::TreeDigest;
use skillyard_format::{Digest, Document, Skill};

use crate::signature::statement::{StatementError, invalid};

/// The file that holds a skill's signature.
pub const SIGNATURE_FILE: &str = "skill.oms.sig";

/// Paths that Model Signing ignores by default.
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
    /// An unsigned skill: only what its `SKILL.md` says about itself matters, unless a
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
            // A tree with two files of one name cannot have been signed.
            self.irregular.push(path.to_owned());
        }
    }

    /// Notes an entry that is not a regular file, such as a link: no signature covers it.
    pub fn add_irregular(&mut self, path: &str) {
        self.irregular.push(path.to_owned());
    }

    /// Notes a file whose name is not UTF-8: no signature can list it.
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

    /// The tree without files that operating systems and programs left.
    #[must_use]
    pub fn tidied(mut self) -> Self {
        self.litter.clear();
        self
    }

    /// The files, without the signature and without litter.
    pub fn files(&self) -> impl Iterator<Item = (&str, TreeFile)> {
        self.files.iter().map(|(path, file)| (path.as_str(), *file))
    }

    /// What no signature covers: the first entry that is not a regular file, or whose name is not UTF-8.
    pub(super) fn check_regular(&self) -> Result<(), StatementError> {
        if let Some(path) = self.irregular.first() {
            return Err(invalid(format!(
                "`{path}` is not a regular file, and no signature can cover it"
            )));
        }
        match self.nameless.first() {
            Some(path) => Err(invalid(format!(
                "the name of `{path}` is not plain text, and no signature can cover it"
            ))),
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
        Some((skill.name.clone(), skill.version().map(str::to_owned)))
    }
}

/// Whether Model Signing leaves the path out by default.
pub(super) fn is_git_path(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or_default();
    GIT_PATHS.contains(&first)
}

/// Most changes that a message names.
pub(super) const MAX_NAMED: usize = 3;

/// One difference between what was signed and what is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    /// Its content is another.
    Changed(String),
    /// It was not signed.
    Added(String),
    /// It was signed and is gone.
    Removed(String),
    /// It has another name now.
    Renamed(String, String),
}

/// The first changes, for a message.
pub(super) fn describe_changes(changes: &[FileChange]) -> String {
    let mut text = String::new();
    for change in changes.iter().take(MAX_NAMED) {
        let separator = if text.is_empty() { "" } else { ", " };
        let _ = match change {
            FileChange::Changed(path) => write!(text, "{separator}`{path}` was changed"),
            FileChange::Added(path) => write!(text, "{separator}`{path}` was added"),
            FileChange::Removed(path) => write!(text, "{separator}`{path}` is missing"),
            FileChange::Renamed(from, to) => write!(text, "{separator}`{from}` is now `{to}`"),
        };
    }
    if changes.len() > MAX_NAMED {
        let _ = write!(text, " and {} more", changes.len() - MAX_NAMED);
    }
    text
}

/// What is not as it was signed, and what the statement leaves out.
pub(super) fn compare(
    resources: &BTreeMap<String, [u8; 32]>,
    leaves_out: &[String],
    tree: &Tree,
) -> (Vec<FileChange>, Vec<String>) {
    let mut added = Vec::new();
    let mut uncovered = Vec::new();
    for (path, file) in tree.files() {
        if resources.contains_key(path) {
            continue;
        }
        let first = path.split('/').next().unwrap_or_default();
        // What else a statement asks to leave out is not left out.
        if is_git_path(path) && leaves_out.iter().any(|each| each == first) {
            uncovered.push(path.to_owned());
        } else {
            added.push((path, *file.digest.as_bytes()));
        }
    }
    let mut changes = Vec::new();
    for (path, signed) in resources {
        match tree.get(path) {
            Some(file) if file.digest.as_bytes() == signed => {}
            Some(_) => changes.push(FileChange::Changed(path.clone())),
            None => match added.iter().position(|(_, digest)| digest == signed) {
                Some(at) => {
                    let to = added.swap_remove(at).0.to_owned();
                    changes.push(FileChange::Renamed(path.clone(), to));
                }
                None => changes.push(FileChange::Removed(path.clone())),
            },
        }
    }
    added.sort_unstable();
    let added = added.into_iter().map(|(path, _)| path.to_owned());
    // Programs leave such files behind, and so does who wants to have them run.
    let litter = tree.litter().iter().cloned();
    let litter = litter.filter(|path| !resources.contains_key(path));
    changes.extend(added.chain(litter).map(FileChange::Added));
    (changes, uncovered)
}

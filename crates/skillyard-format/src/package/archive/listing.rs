//! What the first pass found.

use super::error::ArchiveError;
use super::format::Format;
use super::junk::Junk;
use super::limits::Limits;
use super::path::ArchivePath;
use super::problem::EntryProblem;

/// Everything an archive holds, in its own order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// Files and folders that can be delivered.
    pub entries: Vec<Entry>,
    /// What was left out or deserves a look.
    pub notes: Vec<Note>,
    /// Entries left out because no skill may have them; only under `OnBlemish::Report`.
    pub blemishes: Vec<Blemish>,
}

/// A file or a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it lies in the archive.
    pub path: ArchivePath,
    /// What it is.
    pub kind: EntryKind,
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File {
        /// Its size in bytes, as verified.
        size: u64,
        /// Whether its owner may execute it.
        mode: Mode,
    },
    /// A folder with an entry of its own. Others exist by the paths below them.
    Folder,
}

/// The one thing kept of a file's permissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// To be written as 0644.
    Plain,
    /// To be written as 0755.
    Executable,
}

/// Something worth telling about a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The file, or the topmost folder that the remark is about.
    pub path: ArchivePath,
    /// What.
    pub remark: Remark,
}

/// What is worth telling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remark {
    /// It is not delivered.
    Dropped(Junk),
    /// It is an archive itself, delivered as it is and never opened.
    NestedArchive,
    /// `.gitattributes` or `.gitmodules`, which act when the skill lies in a repository.
    GitSettings,
    /// `.env` and its like: it may hold the author's secrets.
    Secrets,
}

/// An entry that was left out, and the caller refuses the skill it lies in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blemish {
    /// The entry's name as text, with marks in place of bytes that are not UTF-8.
    pub name: String,
    /// What is wrong with it.
    pub problem: EntryProblem,
}

impl Listing {
    /// The files, with size and mode.
    pub fn files(&self) -> impl Iterator<Item = (&ArchivePath, u64, Mode)> {
        self.entries.iter().filter_map(|entry| match entry.kind {
            EntryKind::File { size, mode } => Some((&entry.path, size, mode)),
            EntryKind::Folder => None,
        })
    }

    /// Judges `folder` of a repository as a skill of its own: its limits, and no blemish in it.
    ///
    /// An empty `folder` is the whole archive.
    pub fn check_folder(&self, folder: &str, limits: &Limits) -> Result<(), ArchiveError> {
        for blemish in &self.blemishes {
            let other = match &blemish.problem {
                EntryProblem::Collision(other) => Some(other.as_str()),
                _ => None,
            };
            if lies_in(&blemish.name, folder) || other.is_some_and(|other| lies_in(other, folder)) {
                return Err(ArchiveError::entry(
                    blemish.name.as_bytes(),
                    blemish.problem.clone(),
                ));
            }
        }
        let (mut files, mut bytes) = (0, 0_u64);
        for (path, size, _) in self.files() {
            let Some(relative) = relative(path, folder) else {
                continue;
            };
            let refuse = |problem| ArchiveError::entry(path.as_str().as_bytes(), problem);
            limits.check_path(&relative).map_err(refuse)?;
            if size > limits.file_bytes {
                return Err(refuse(EntryProblem::FileTooLarge {
                    actual: size,
                    limit: limits.file_bytes,
                }));
            }
            files += 1;
            bytes = bytes.saturating_add(size);
            limits.check_counts(files, bytes)?;
        }
        Ok(())
    }
}

/// Notes that a path deserves by its name alone.
pub(crate) fn remark_on(path: &ArchivePath) -> Option<Remark> {
    match path.file_name() {
        ".gitattributes" | ".gitmodules" => Some(Remark::GitSettings),
        ".env.example" | ".env.sample" | ".env.template" => None,
        name if name == ".env" || name.starts_with(".env.") => Some(Remark::Secrets),
        _ => None,
    }
}

/// Whether a file that begins like this is an archive.
pub(crate) fn looks_nested(head: &[u8]) -> bool {
    const OTHERS: [&[u8]; 4] = [
        b"Rar!\x1a\x07",
        b"7z\xbc\xaf\x27\x1c",
        b"\xfd7zXZ\0",
        b"BZh",
    ];
    Format::of_head(head).is_some() || OTHERS.iter().any(|magic| head.starts_with(magic))
}

fn relative(path: &ArchivePath, folder: &str) -> Option<ArchivePath> {
    if folder.is_empty() {
        Some(path.clone())
    } else {
        path.below(folder)
    }
}

/// Names of blemished entries may be anything, so case is ignored: better one refusal too many.
fn lies_in(name: &str, folder: &str) -> bool {
    let (name, folder) = (name.to_lowercase(), folder.to_lowercase());
    folder.is_empty()
        || name
            .replace('\\', "/")
            .strip_prefix(&folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        // A link on the way to the folder would lead somewhere else.
        || folder.strip_prefix(&name).is_some_and(|rest| rest.starts_with('/'))
}

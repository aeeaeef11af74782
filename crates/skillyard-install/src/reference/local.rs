//! Paths on this machine, and what their names say.

use std::path::PathBuf;

/// A folder or archive on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LocalReference {
    /// The path as it was written; `~/` is for the caller to replace.
    pub path: PathBuf,
    /// What the name says it is.
    pub kind: LocalKind,
}

/// What a path names, judged by the path alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LocalKind {
    /// A folder.
    Folder,
    /// An archive.
    Archive(ArchiveKind),
}

/// A kind of archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArchiveKind {
    /// `.zip` and `.skill`.
    Zip,
    /// `.tar`.
    Tar,
    /// `.tar.gz` and `.tgz`.
    TarGz,
    /// `.tar.zst` and `.tzst`.
    TarZst,
}

impl ArchiveKind {
    /// The kind that the end of a path or name says.
    pub fn of(path: &str) -> Option<Self> {
        const ENDINGS: [(&str, ArchiveKind); 7] = [
            (".zip", ArchiveKind::Zip),
            (".skill", ArchiveKind::Zip),
            (".tar", ArchiveKind::Tar),
            (".tar.gz", ArchiveKind::TarGz),
            (".tgz", ArchiveKind::TarGz),
            (".tar.zst", ArchiveKind::TarZst),
            (".tzst", ArchiveKind::TarZst),
        ];
        let path = path.to_ascii_lowercase();
        let ending = ENDINGS.iter().find(|(ending, _)| path.ends_with(ending));
        ending.map(|(_, kind)| *kind)
    }
}

//! The files of one skill, on disk or inside the binary.

use std::borrow::Cow;
use std::sync::OnceLock;

use skillyard_catalog::resource::{
    DigestLimits, FileDigests, HardLinks, ReadLimits, ReadRange, Resource, ResourceContent,
    ResourceError, SkillRoot, file_digests,
};
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::{CatalogSkill, builtin};
use skillyard_format::document::MAX_BYTES;
use skillyard_format::package::{Digest, TreeDigest};

/// Why the files of a skill could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ContentsError {
    /// A file was refused or is not there.
    #[error(transparent)]
    Resource(#[from] ResourceError),
    /// The skill's own file is no text.
    #[error("`{0}` is not text")]
    NotText(String),
    /// The skill's files cannot be hashed, so that nobody could say what was given.
    #[error("skill `{name}` cannot be used: its files cannot be hashed: {reason}")]
    Unhashable {
        /// The skill.
        name: String,
        /// Why they cannot.
        reason: String,
    },
    /// The skill is for users only, and none has activated it.
    #[error("skill `{name}` can only be activated by the user")]
    ForUsers {
        /// The skill.
        name: String,
    },
    /// The skill's files are not those that are locked.
    #[error("skill `{name}` is not as it is locked: {reason}")]
    Altered {
        /// The skill.
        name: String,
        /// What they are.
        reason: String,
        /// What the user of this machine can do about it.
        remedy: String,
    },
    /// The skill, or whoever signed it, is revoked.
    #[error("skill `{name}` is revoked: {reason}")]
    Revoked {
        /// The skill.
        name: String,
        /// Since when and why.
        reason: String,
        /// What the user of this machine can do about it.
        remedy: String,
    },
}

/// The files of one skill. Once they were hashed, nothing else than that is read of them.
#[derive(Debug)]
pub struct Contents<'a> {
    skill: &'a CatalogSkill,
    files: FileSource,
    hashed: OnceLock<FileDigests>,
}

#[derive(Debug)]
enum FileSource {
    Builtin(&'static [(&'static str, &'static str)]),
    Folder(SkillRoot),
}

/// One file of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// The path below the skill's root.
    pub path: String,
    /// The size in bytes.
    pub size: u64,
    /// Whether its owner may execute it.
    pub executable: bool,
}

/// The files of a skill and what was left out of them.
#[derive(Debug, Default)]
pub struct FileList {
    /// The files, in order of their paths.
    pub files: Vec<File>,
    /// What cannot be read, and why.
    pub unreadable: Vec<(String, String)>,
    /// Whether there are more files than are named.
    pub truncated: bool,
}

impl<'a> Contents<'a> {
    /// Opens the skill's folder.
    pub fn open(skill: &'a CatalogSkill) -> Result<Self, ContentsError> {
        let files = match skill.kind {
            SourceKind::Builtin => {
                FileSource::Builtin(builtin::files(&skill.record.name).unwrap_or_default())
            }
            _ => FileSource::Folder(SkillRoot::open(&skill.record.folder)?),
        };
        Ok(Self {
            skill,
            files,
            hashed: OnceLock::new(),
        })
    }

    /// The text of the skill's own file.
    pub fn skill_file(&self) -> Result<String, ContentsError> {
        let limits = ReadLimits {
            max_bytes: MAX_BYTES as u64,
            ..ReadLimits::default()
        };
        let read = self.read(&self.skill.record.file_name, ReadRange::default(), limits)?;
        match read.content {
            ResourceContent::Text(text) => Ok(text),
            ResourceContent::Binary { .. } => Err(ContentsError::NotText(read.path)),
        }
    }

    /// Lists the files, or those below a folder.
    pub fn list(&self, folder: Option<&str>) -> Result<FileList, ContentsError> {
        match &self.files {
            FileSource::Builtin(files) => {
                let prefix = folder.map(|folder| format!("{}/", folder.trim_end_matches('/')));
                let inside = |path: &str| prefix.as_ref().is_none_or(|it| path.starts_with(it));
                let found = files.iter().filter(|(path, _)| inside(path));
                Ok(FileList {
                    files: found
                        .map(|(path, text)| File {
                            path: (*path).to_owned(),
                            size: text.len() as u64,
                            executable: builtin::is_executable(text),
                        })
                        .collect(),
                    ..FileList::default()
                })
            }
            FileSource::Folder(root) => {
                let listing = root.list(folder)?;
                let skipped = listing.skipped.into_iter();
                Ok(FileList {
                    files: listing
                        .files
                        .into_iter()
                        .map(|file| File {
                            path: file.path,
                            size: file.size,
                            executable: file.executable,
                        })
                        .collect(),
                    unreadable: skipped
                        .map(|each| (each.path, each.reason.to_string()))
                        .collect(),
                    truncated: listing.truncated,
                })
            }
        }
    }

    /// Reads one file, or a part of it.
    pub fn read(
        &self,
        path: &str,
        range: ReadRange,
        limits: ReadLimits,
    ) -> Result<Resource, ContentsError> {
        match &self.files {
            FileSource::Folder(root) => {
                let limits = ReadLimits {
                    hard_links: self.hard_links(),
                    ..limits
                };
                let read = match self.hashed.get() {
                    Some(hashed) => root.read_hashed(path, range, &limits, hashed),
                    None => root.read(path, range, &limits),
                };
                Ok(read?)
            }
            FileSource::Builtin(files) => {
                let wanted = path.strip_prefix("./").unwrap_or(path);
                let found = files.iter().find(|(path, _)| *path == wanted);
                let (path, text) = found.ok_or_else(|| ResourceError::NotFound {
                    path: path.to_owned(),
                })?;
                part(path, text.as_bytes(), range, limits)
            }
        }
    }

    /// The tree digest; from now on only what was hashed is read.
    pub fn digest(&self) -> Result<Digest, ResourceError> {
        match &self.files {
            FileSource::Folder(root) => {
                let found = file_digests(root, &DigestLimits::HERE)?;
                Ok(self.hashed.get_or_init(|| found).tree())
            }
            FileSource::Builtin(files) => {
                let mut tree = TreeDigest::default();
                for (path, text) in *files {
                    let executable = builtin::is_executable(text);
                    tree.add(path, executable, Digest::of(text.as_bytes()));
                }
                Ok(tree.finish())
            }
        }
    }

    /// Other users write to a project's folder, and could give a name in it to any file.
    fn hard_links(&self) -> HardLinks {
        match self.skill.kind {
            SourceKind::User | SourceKind::Org | SourceKind::OrgPinned => HardLinks::Allow,
            _ => HardLinks::Refuse,
        }
    }
}

/// A part of a file that is at hand; a text is cut at whole characters.
pub(crate) fn part(
    path: &str,
    bytes: &[u8],
    range: ReadRange,
    limits: ReadLimits,
) -> Result<Resource, ContentsError> {
    limits.admit(path)?;
    let size = bytes.len();
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Ok(Resource {
            path: path.to_owned(),
            size: size as u64,
            offset: range.offset,
            content: ResourceContent::Binary {
                media_type: "application/octet-stream",
                bytes: None,
            },
            next_offset: None,
            executable: false,
        });
    };
    let offset = usize::try_from(range.offset).unwrap_or(usize::MAX);
    if offset > size {
        return Err(ResourceError::OffsetPastEnd {
            path: path.to_owned(),
            offset: range.offset,
            size: size as u64,
        }
        .into());
    }
    let start = text.floor_char_boundary(offset);
    let limit = range.limit.unwrap_or(u64::MAX);
    let limit = limit.min(limits.max_bytes).max(4);
    let end = offset.saturating_add(usize::try_from(limit).unwrap_or(usize::MAX));
    let end = text.floor_char_boundary(end.min(size));
    Ok(Resource {
        path: path.to_owned(),
        size: size as u64,
        offset: start as u64,
        content: ResourceContent::Text(text[start..end].to_owned()),
        next_offset: (end < size).then_some(end as u64),
        executable: false,
    })
}

/// A text for a file's type, by its name; content decides whether it is text at all.
pub(crate) fn media_type(path: &str, content: &ResourceContent) -> Cow<'static, str> {
    if let ResourceContent::Binary { media_type, .. } = content {
        return (*media_type).into();
    }
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    match extension {
        Some("md" | "markdown") => "text/markdown",
        Some("json") => "application/json",
        Some("py") => "text/x-python",
        Some("sh" | "bash") => "text/x-shellscript",
        Some("yaml" | "yml") => "application/yaml",
        _ => "text/plain",
    }
    .into()
}

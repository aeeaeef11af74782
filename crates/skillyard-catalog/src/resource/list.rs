//! Lists the files of a skill, and probes whether they can be hashed.

use rustix::fs::{Access, AtFlags, Mode, accessat};

use super::digest::DigestLimits;
use super::error::ResourceError;
use super::path::RelativePath;
use super::root::{FOLDER, SkillRoot, explain};
use super::walk::{Visit, WalkStep, readable, walk};

/// How many files a listing names.
const MAX_FILES: usize = 2_000;

/// The files of a skill, or of a folder in it.
#[derive(Debug, Default)]
pub struct FileListing {
    /// The regular files that can be read, in byte order of their paths.
    pub files: Vec<ResourceEntry>,
    /// What is there too but cannot be read, in the same order.
    pub skipped: Vec<SkippedFile>,
    /// Whether there are more than the 2,000 files a listing names.
    pub truncated: bool,
}

/// One file of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceEntry {
    /// The path below the skill's root.
    pub path: String,
    /// The size in bytes.
    pub size: u64,
    /// Whether its owner may execute the file.
    pub executable: bool,
}

/// Something in a skill that cannot be read.
#[derive(Debug)]
pub struct SkippedFile {
    /// The path below the skill's root.
    pub path: String,
    /// Why it cannot be read.
    pub reason: ResourceError,
}

impl SkillRoot {
    /// Lists the files of the skill, or those below `folder`.
    pub fn list(&self, folder: Option<&str>) -> Result<FileListing, ResourceError> {
        let folder = match folder {
            Some(folder) => RelativePath::folder(folder)?,
            None => None,
        };
        let prefix = folder.as_ref().map_or("", RelativePath::as_str);
        let opened = match &folder {
            Some(folder) => self.opener.open(folder, FOLDER),
            None => self.opener.folder(),
        };
        let opened = opened.map_err(|error| explain(prefix, error))?;
        let mut listing = FileListing::default();
        walk(opened, prefix, &mut |visit| Ok(listing.add(visit)))?;
        Ok(listing)
    }
}

impl FileListing {
    /// The files, if they are all that could be run: files with unreadable names, and more files than are
    /// listed, cannot be shown to the user and so cannot be approved.
    pub fn complete(self) -> Result<Vec<ResourceEntry>, ResourceError> {
        let unshown = self.skipped.into_iter().map(|each| each.reason);
        let unshown = unshown.filter(|reason| {
            let is_name = matches!(reason, ResourceError::NameNotText { .. });
            is_name || matches!(reason, ResourceError::ControlCharacter { .. })
        });
        let limit = MAX_FILES;
        let more = self.truncated;
        let more = more.then_some(ResourceError::TooManyFiles { limit });
        match unshown.chain(more).next() {
            Some(reason) => Err(reason),
            None => Ok(self.files),
        }
    }

    fn add(&mut self, visit: Visit<'_>) -> WalkStep {
        if self.files.len() == MAX_FILES || self.skipped.len() == MAX_FILES {
            self.truncated = true;
            return WalkStep::Stop;
        }
        match visit {
            Visit::File { path, stat, .. } => match readable(path).and_then(RelativePath::file) {
                Ok(path) => self.files.push(ResourceEntry {
                    path: path.as_str().to_owned(),
                    size: u64::try_from(stat.st_size).unwrap_or_default(),
                    executable: Mode::from_raw_mode(stat.st_mode).contains(Mode::XUSR),
                }),
                Err(reason) => self.skip(String::from_utf8_lossy(path).into_owned(), reason),
            },
            Visit::Link(link) => self.skip(link.text().into_owned(), link.reason()),
            Visit::Litter { .. } => {}
            Visit::Other { path, reason } => self.skip(path, reason),
        }
        WalkStep::On
    }

    fn skip(&mut self, path: String, reason: ResourceError) {
        self.skipped.push(SkippedFile { path, reason });
    }
}

/// Something in a skill's folder, as far as it is seen without reading it.
#[derive(Debug, Clone, Copy)]
pub struct SeenFile<'a> {
    /// Its path below the folder; not all names are text.
    pub path: &'a [u8],
    /// What it is.
    pub kind: SeenKind,
}

/// What something in a skill's folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeenKind {
    /// A regular file with so many bytes.
    File(u64),
    /// A symbolic link.
    Link,
    /// A pipe, a device or the like.
    Other,
}

/// Why the files of a skill on this machine cannot be hashed, if they cannot.
pub fn probe(root: &SkillRoot) -> Result<(), ResourceError> {
    probe_seeing(root, &mut |_| {})
}

/// As [`probe`], and calls `seen` for everything except what programs left behind.
pub fn probe_seeing(
    root: &SkillRoot,
    seen: &mut dyn FnMut(SeenFile<'_>),
) -> Result<(), ResourceError> {
    let DigestLimits {
        max_files,
        max_bytes,
    } = DigestLimits::HERE;
    let folder = root.opener.folder().map_err(|error| explain("", error))?;
    let (mut files, mut bytes) = (0_usize, 0_u64);
    walk(folder, "", &mut |visit| {
        match visit {
            Visit::File {
                path,
                folder,
                name,
                stat,
            } => {
                files += 1;
                let size = u64::try_from(stat.st_size).unwrap_or_default();
                bytes = bytes.saturating_add(size);
                let kind = SeenKind::File(size);
                seen(SeenFile { path, kind });
                let access = accessat(folder, name, Access::READ_OK, AtFlags::empty());
                access.map_err(|error| explain(&String::from_utf8_lossy(path), error))?;
            }
            Visit::Other { reason, .. } if !matches!(reason, ResourceError::NotRegular { .. }) => {
                return Err(reason);
            }
            Visit::Link(link) => seen(SeenFile {
                path: link.path,
                kind: SeenKind::Link,
            }),
            Visit::Other { path, .. } => seen(SeenFile {
                path: path.as_bytes(),
                kind: SeenKind::Other,
            }),
            Visit::Litter { .. } => {}
        }
        match () {
            () if files > max_files => Err(ResourceError::TooManyFiles { limit: max_files }),
            () if bytes > max_bytes => Err(ResourceError::TooManyBytes { limit: max_bytes }),
            () => Ok(WalkStep::On),
        }
    })?;
    Ok(())
}
